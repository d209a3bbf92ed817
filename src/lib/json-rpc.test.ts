import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { count } from '../../test/support/counts.js';
import { jsonText, objectText, stringText } from '../../test/support/json-arbitrary.js';
import { readJsonTestSuite } from '../../test/support/test-data.js';
import {
  errorText,
  idKey,
  maxDepth,
  notificationText,
  readFrame,
  requestText,
  resultText,
} from './json-rpc.js';
import { decodeUtf8 } from './lines.js';

const request = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;

describe('the id of a request', () => {
  const legal = [
    '0',
    '1',
    '-7',
    '9007199254740993',
    '-9007199254740993',
    '123456789012345678901234567890',
    '""',
    '"a"',
    '"1"',
    '"\\u0061\\"\\n"',
    '"é😀"',
    '"__proto__"',
  ];

  it.each(legal)('is returned as written: %s', (id) => {
    expect(readFrame(request(id))).toEqual({ kind: 'request', id, method: 'ping' });
    expect(resultText(id, '{}')).toBe(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
  });

  it.each(['1.5', '1.0', '1e3', '1e999', 'null', 'true', '{}', '[1]'])('is refused if it is %s', (id) => {
    expect(readFrame(request(id))).toMatchObject({ kind: 'bad', id: undefined, code: -32600 });
  });

  it('is preserved for any spelling of a string', () => {
    fc.assert(
      fc.property(stringText, (id) => {
        const frame = readFrame(request(id));
        expect(frame).toMatchObject({ kind: 'request', id });
      }),
      { numRuns: count(5_000) },
    );
  });

  it('is the same key for any escaping of a string, and a different key for another type', () => {
    expect(idKey('"\\u0061"')).toBe(idKey('"a"'));
    expect(idKey('"\\/"')).toBe(idKey('"/"'));
    expect(idKey('1')).not.toBe(idKey('"1"'));
    expect(idKey('9007199254740993')).not.toBe(idKey('9007199254740992'));
  });

  it('is not used in the response if it is duplicated', () => {
    for (const ids of ['"id":1,"id":2', '"id":[1],"id":"x"', '"id":1,"\\u0069d":1']) {
      const frame = readFrame(`{"jsonrpc":"2.0",${ids},"method":"ping"}`);
      expect(frame).toMatchObject({ kind: 'bad', id: undefined, code: -32600 });
    }
  });
});

describe('readFrame', () => {
  it('reads a request with its params as written', () => {
    const params = '{ "n" : 12345678901234567890, "s":"\\u0061" }';
    const frame = readFrame(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
    expect(frame).toMatchObject({ kind: 'request', id: '1', method: 'tools/call' });
    expect(frame.kind === 'request' && frame.params?.text).toBe(params);
  });

  it('keeps any params byte for byte, except line breaks', () => {
    fc.assert(
      fc.property(objectText, (params) => {
        const frame = readFrame(`{"jsonrpc":"2.0","method":"x","params":${params}}`);
        expect(frame.kind === 'notification' && frame.params?.text).toBe(
          params.replace(/[\r\n]/g, ' ').trim(),
        );
      }),
      { numRuns: count(5_000) },
    );
  });

  it('distinguishes requests, notifications, results and errors', () => {
    expect(readFrame('{"jsonrpc":"2.0","method":"a"}')).toEqual({ kind: 'notification', method: 'a' });
    expect(readFrame('{"jsonrpc":"2.0","id":3,"result":null}')).toMatchObject({ kind: 'result', id: '3' });
    expect(readFrame('{"jsonrpc":"2.0","id":3,"error":{}}')).toMatchObject({ kind: 'error', id: '3' });
    expect(readFrame('{"jsonrpc":"2.0","id":null,"error":{"code":1}}')).toMatchObject({
      kind: 'error',
      id: undefined,
    });
  });

  const wrong: readonly (readonly [string, string, string | undefined])[] = [
    ['a batch', `[${request('1')}]`, undefined],
    ['an empty batch', '[]', undefined],
    ['a number', '5', undefined],
    ['a string', '"ping"', undefined],
    ['null', 'null', undefined],
    ['an empty object', '{}', undefined],
    ['no jsonrpc', '{"id":1,"method":"ping"}', '1'],
    ['another jsonrpc', '{"jsonrpc":"1.0","id":1,"method":"ping"}', '1'],
    ['a method that is not a string', '{"jsonrpc":"2.0","id":"a","method":7}', '"a"'],
    ['a method that is null', '{"jsonrpc":"2.0","id":"a","method":null}', '"a"'],
    ['params that are an array', '{"jsonrpc":"2.0","id":1,"method":"a","params":[1]}', '1'],
    ['params that are null', '{"jsonrpc":"2.0","id":1,"method":"a","params":null}', '1'],
    ['a duplicate method', '{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}', '1'],
    ['duplicate params', '{"jsonrpc":"2.0","id":1,"method":"a","params":{},"p\\u0061rams":{}}', '1'],
    ['a result without id', '{"jsonrpc":"2.0","result":{}}', undefined],
    ['an error that is not an object', '{"jsonrpc":"2.0","id":1,"error":"x"}', '1'],
    [
      'a request with a null id that calls itself an error',
      '{"jsonrpc":"2.0","id":null,"method":"a","error":{}}',
      undefined,
    ],
    ['members that are only inherited', '{"__proto__":{"jsonrpc":"2.0","id":1,"method":"ping"}}', undefined],
  ];

  it.each(wrong)('answers -32600 to %s', (_name, text, id) => {
    expect(readFrame(text)).toMatchObject({ kind: 'bad', code: -32600, id });
  });

  it.each(['', '{', '{"jsonrpc":"2.0"', "{'a':1}", '\ufeff{}', '{"a":1,}', 'NaN', '{"a":01}'])(
    'answers -32700 to %j',
    (text) => {
      expect(readFrame(text)).toMatchObject({ kind: 'bad', code: -32700, id: undefined });
    },
  );

  it('never throws, for any input', () => {
    const anything = fc.oneof(jsonText, fc.string({ unit: 'binary' }), objectText);
    fc.assert(
      fc.property(anything, (text) => typeof readFrame(text).kind === 'string'),
      { numRuns: count(10_000) },
    );
  });

  it('refuses deep nesting without parsing it', () => {
    const nested = (depth: number): string =>
      `{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":${'['.repeat(depth)}${']'.repeat(depth)}}}`;
    expect(readFrame(nested(maxDepth - 2))).toMatchObject({ kind: 'request' });
    expect(readFrame(nested(maxDepth - 1))).toMatchObject({ kind: 'bad', code: -32700 });
    const started = performance.now();
    expect(readFrame(nested(4_000_000))).toMatchObject({ kind: 'bad', code: -32700 });
    // Parsing it takes some seconds and half a gigabyte.
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  it('is not slowed down by a hostile number of members', () => {
    const members = Array.from({ length: 200_000 }, (_, at) => `"k${at}":1`).join(',');
    const started = performance.now();
    expect(readFrame(`{"jsonrpc":"2.0","id":1,"method":"a",${members}}`).kind).toBe('request');
    expect(performance.now() - started).toBeLessThan(30_000);
  });
});

describe('the messages we write', () => {
  it('can be read back unchanged', () => {
    expect(readFrame(requestText(7, 'a"b', '{"x":1}'))).toMatchObject({
      kind: 'request',
      id: '7',
      method: 'a"b',
    });
    expect(readFrame(requestText('"q"', 'm'))).toEqual({ kind: 'request', id: '"q"', method: 'm' });
    expect(readFrame(notificationText('n'))).toEqual({ kind: 'notification', method: 'n' });
    expect(readFrame(notificationText('n', '{}'))).toMatchObject({ kind: 'notification' });
    expect(readFrame(resultText(1, '[]'))).toMatchObject({ kind: 'result', id: '1' });
    expect(readFrame(errorText(undefined, '{"code":1}'))).toMatchObject({ kind: 'error', id: undefined });
    expect(readFrame(errorText('"e"', '{"code":1}'))).toMatchObject({ kind: 'error', id: '"e"' });
  });
});

const suite = readJsonTestSuite();

describe.skipIf(suite.found === undefined)(`JSONTestSuite ${suite.reason}`, () => {
  const files = suite.found ?? new Map<string, Buffer>();
  const names = (prefix: string): string[] => [...files.keys()].filter((name) => name.startsWith(prefix));
  const isRead = (name: string): boolean => {
    const text = decodeUtf8(files.get(name) ?? Buffer.of());
    if (text === undefined) return false;
    const frame = readFrame(text);
    return frame.kind !== 'bad' || frame.code !== -32700;
  };

  it('is complete', () => {
    expect(files.size).toBe(318);
  });

  it.each(names('y_'))('reads %s', (name) => {
    expect(isRead(name)).toBe(true);
  });

  it.each(names('n_'))('refuses %s with -32700', (name) => {
    expect(isRead(name)).toBe(false);
  });

  it.each(names('i_'))('does not crash on %s', (name) => {
    expect(typeof isRead(name)).toBe('boolean');
  });
});
