import { describe, expect, it } from 'vitest';
import { sessionOf } from '../../test/support/gateway.js';
import { JsonText } from '../lib/json-text.js';
import type { Request } from '../core/index.js';
import {
  buildRequest,
  type CallMethod,
  isCallMethod,
  listMethods,
  progressToken,
  readWanted,
} from './requests.js';

const json = (text: string): JsonText => new JsonText(text);

function built(text: string, canResume = true): Request {
  const client = { protocol: 'modern', protocolVersion: '2026-07-28', capabilities: json('{}') } as const;
  return buildRequest(
    { id: 'r', session: sessionOf(), client, wanted: { kind: 'tool', name: 'x' }, params: json(text) },
    canResume,
  );
}

describe('the target of a call', () => {
  it.each<[CallMethod, string, unknown]>([
    ['tools/call', '{"name":"a"}', { kind: 'tool', name: 'a' }],
    ['tools/call', '{"name":"","arguments":{}}', { kind: 'tool', name: '' }],
    ['prompts/get', '{"name":"p","arguments":{"x":"1"}}', { kind: 'prompt', name: 'p' }],
    ['resources/read', '{"uri":"x://1"}', { kind: 'resource', uri: 'x://1' }],
    [
      'completion/complete',
      '{"ref":{"type":"ref/prompt","name":"p"},"argument":{}}',
      { kind: 'completion', of: { kind: 'prompt', name: 'p' } },
    ],
    [
      'completion/complete',
      '{"ref":{"type":"ref/resource","uri":"x://{a}"}}',
      { kind: 'completion', of: { kind: 'template', uriTemplate: 'x://{a}' } },
    ],
  ])('%s %s', (method, text, wanted) => {
    expect(readWanted(method, json(text))).toEqual(wanted);
  });

  it.each<[CallMethod, string, RegExp]>([
    ['tools/call', '{}', /name must be a string/],
    ['tools/call', '{"name":5}', /name must be a string/],
    ['tools/call', '{"name":"a","arguments":[]}', /arguments must be an object/],
    ['tools/call', '{"name":"a","arguments":null}', /arguments must be an object/],
    ['tools/call', '{"name":"a","arguments":"{}"}', /arguments must be an object/],
    ['tools/call', '{"name":"a","name":"b"}', /duplicate key/],
    ['tools/call', '{"name":"a","n\\u0061me":"b"}', /duplicate key/],
    ['tools/call', '{"name":"a","arguments":{},"arguments":{"x":1}}', /duplicate key/],
    ['tools/call', '{"name":"a","arguments":{"x":1,"x":2}}', /duplicate key "x"/],
    ['tools/call', '{"name":"a","arguments":{"x":[{"y":1,"y":2}]}}', /duplicate key "y"/],
    ['prompts/get', '{"name":"a","arguments":{"x":"1","x":"2"}}', /duplicate key "x"/],
    ['prompts/get', '{"name":null}', /name must be a string/],
    ['resources/read', '{"uri":1}', /uri must be a string/],
    ['resources/read', '{"name":"a"}', /uri must be a string/],
    ['completion/complete', '{}', /ref must be/],
    ['completion/complete', '{"ref":null}', /ref must be/],
    ['completion/complete', '{"ref":"ref/prompt"}', /ref must be/],
    ['completion/complete', '{"ref":{"type":"ref/prompt"}}', /ref must be/],
    ['completion/complete', '{"ref":{"type":"ref/tool","name":"a"}}', /ref must be/],
  ])('%s %s is refused', (method, text, sentence) => {
    expect(readWanted(method, json(text))).toMatch(sentence);
  });

  it('is known only by the exact method name', () => {
    expect(isCallMethod('tools/call')).toBe(true);
    for (const odd of ['Tools/call', 'tools/call ', 'constructor', '__proto__', '']) {
      expect(isCallMethod(odd)).toBe(false);
      expect(listMethods.get(odd)).toBeUndefined();
    }
    expect([...listMethods.keys()]).toEqual([
      'tools/list',
      'prompts/list',
      'resources/list',
      'resources/templates/list',
    ]);
  });
});

describe('the metadata of a call', () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

  it("includes the caller's trace", () => {
    expect(built(`{"_meta":{"traceparent":"${traceparent}","tracestate":"v=1"}}`).trace).toEqual({
      traceparent,
      tracestate: 'v=1',
    });
    expect(built(`{"_meta":{"traceparent":"${traceparent}","tracestate":5}}`).trace).toEqual({ traceparent });
  });

  it.each([
    'null',
    '{}',
    '{"traceparent":5}',
    '{"traceparent":"nonsense"}',
    `{"traceparent":"${traceparent}x"}`,
    '"x"',
  ])('has no trace when _meta is %s', (meta) => {
    expect(built(`{"_meta":${meta}}`)).not.toHaveProperty('trace');
  });

  it('includes the answers and the state of an earlier round, as written', () => {
    const { resume } = built('{"inputResponses":{ "k" : 12345678901234567890 },"requestState":"s"}');
    expect(resume?.responses.text).toBe('{ "k" : 12345678901234567890 }');
    expect(resume?.state).toBe('s');
    expect(built('{"inputResponses":{}}').resume).not.toHaveProperty('state');
    expect(built('{"requestState":"s"}').resume?.responses.text).toBe('{}');
  });

  it.each(['[]', 'null', '"x"', '5'])('has no answers when inputResponses is %s', (text) => {
    expect(built(`{"inputResponses":${text},"requestState":"s"}`).resume?.responses.text).toBe('{}');
  });

  it('has no answers if none are possible', () => {
    expect(built('{"inputResponses":{},"requestState":"s"}', false)).not.toHaveProperty('resume');
    expect(built('{}')).not.toHaveProperty('resume');
  });

  it.each([
    ['{"_meta":{"progressToken":9007199254740993}}', '9007199254740993'],
    ['{"_meta":{"progressToken":"\\u0061"}}', '"\\u0061"'],
    ['{"_meta":{"progressToken":0}}', '0'],
    ['{"_meta":{"progressToken":{"a":1},"progressToken":"x"}}', '"x"'],
    ['{"_meta":{"progressToken":null}}', undefined],
    ['{"_meta":{"progressToken":{}}}', undefined],
    ['{"_meta":null}', undefined],
    ['{}', undefined],
  ])('includes the progress token of %s', (text, token) => {
    expect(progressToken(json(text))).toBe(token);
  });
});

describe('params with ambiguous keys', () => {
  it.each<[CallMethod, string]>([
    ['tools/call', '{"name":"read","Name":"delete"}'],
    ['tools/call', '{"name":"read","NAME":"delete"}'],
    ['tools/call', '{"name":"a","arguments":{},"Arguments":{"x":1}}'],
    ['tools/call', '{"name":"a","RequestState":"forged"}'],
    ['tools/call', '{"name":"a","_META":{}}'],
    ['tools/call', '{"name":"a","n\\u0061me":"b"}'],
    ['resources/read', '{"uri":"x://1","Uri":"x://2"}'],
  ])('are refused: %s %s', (method, text) => {
    expect(readWanted(method, json(text))).toMatch(/the exact spelling is|duplicate key/);
    // The control: a case-insensitive parser sees a different value.
    const keys = Object.keys(JSON.parse(text) as object).map((key) => key.toLowerCase());
    expect(
      new Set(keys).size < keys.length || text.includes('u0061') || /RequestState|_META/.test(text),
    ).toBe(true);
  });

  it('refuses a progress token that is too long to repeat', () => {
    const withToken = (token: string): JsonText => json(`{"name":"a","_meta":{"progressToken":${token}}}`);
    for (const digits of [1000, 1100]) {
      const wanted =
        digits === 1000 ? { kind: 'tool', name: 'a' } : expect.stringMatching(/progressToken is longer/);
      expect(readWanted('tools/call', withToken(`"${'x'.repeat(digits)}"`))).toEqual(wanted);
      expect(readWanted('tools/call', withToken(`0.${'1'.repeat(digits)}`))).toEqual(wanted);
    }
  });

  it('are accepted if only unknown fields differ', () => {
    expect(readWanted('tools/call', json('{"name":"a","Vendor":1,"vendor":2}'))).toEqual({
      kind: 'tool',
      name: 'a',
    });
  });
});
