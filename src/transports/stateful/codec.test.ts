import { describe, expect, it } from 'vitest';
import { JsonText } from '../../lib/json-text.js';
import {
  initializeResult,
  legacyDefinition,
  legacyResult,
  legacyVersions,
  listResult,
  readInitialize,
} from './codec.js';

const server = { name: 'tidegate', title: 'Tidegate', version: '1' };
const params = (text: string): JsonText => new JsonText(text);

describe('initialize', () => {
  it.each(legacyVersions)('agrees on %s when the client requests it', (version) => {
    const client = readInitialize(params(`{"protocolVersion":"${version}","capabilities":{}}`));
    expect(client).toMatchObject({ protocol: 'legacy', protocolVersion: version });
  });

  it.each(['2026-07-28', '1999-01-01', '', '2025-11-25 '])('offers the newest for %j', (version) => {
    const client = readInitialize(params(`{"protocolVersion":"${version}"}`));
    expect(client?.protocolVersion).toBe('2025-11-25');
  });

  it('keeps the client info as written', () => {
    const info = '{ "name":"c", "x":12345678901234567890 }';
    const capabilities = '{"roots":{"listChanged":true}, "odd":[]}';
    const client = readInitialize(
      params(`{"protocolVersion":"2025-06-18","clientInfo":${info},"capabilities":${capabilities}}`),
    );
    expect(client?.info?.text).toBe(info);
    expect(client?.capabilities.text).toBe(capabilities);
  });

  it('treats capabilities that are not an object as none', () => {
    for (const odd of ['null', '[]', '"roots"', '5']) {
      const client = readInitialize(params(`{"protocolVersion":"2025-06-18","capabilities":${odd}}`));
      expect(client?.capabilities.value).toEqual({});
    }
  });

  it.each([undefined, '{}', '{"protocolVersion":5}', '{"protocolVersion":null}'])(
    'is refused as %j',
    (text) => {
      expect(readInitialize(text === undefined ? undefined : params(text))).toBeUndefined();
    },
  );

  it('is answered with the version, the capabilities, the server and its instructions', () => {
    const client = readInitialize(params('{"protocolVersion":"2025-06-18"}'));
    if (client === undefined) throw new Error('no client');
    const result = JSON.parse(initializeResult(client, server, 'Say "please".')) as unknown;
    expect(result).toEqual({
      protocolVersion: '2025-06-18',
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
      },
      serverInfo: server,
      instructions: 'Say "please".',
    });
    expect(JSON.parse(initializeResult(client, server, undefined))).not.toHaveProperty('instructions');
  });
});

describe('the output for stateful clients', () => {
  it('is a list with its cursor, without fields of 2026-07-28', () => {
    expect(listResult('tools', '{"name":"a"}', undefined)).toBe('{"tools":[{"name":"a"}]}');
    expect(listResult('prompts', '', 'c"1')).toBe('{"prompts":[],"nextCursor":"c\\"1"}');
  });

  it('is a definition as its author wrote it', () => {
    const text =
      '{ "name":"a", "inputSchema":{"type":"object"}, "outputSchema":{"type":"object"}, "x":1e400 }';
    expect(legacyDefinition(params(text))).toBe(text);
  });

  it.each(['{"type":"array"}', '{"anyOf":[]}', 'true', 'null', '"object"'])(
    'is a definition without an output schema that they cannot read: %s',
    (schema) => {
      const text = `{"name":"a", "outputSchema":${schema}, "inputSchema":{"type":"object"}}`;
      expect(legacyDefinition(params(text))).toBe('{"name":"a", "inputSchema":{"type":"object"}}');
    },
  );

  it('is an unchanged result, including unknown fields and big numbers', () => {
    const text =
      '{ "content":[{"type":"odd","n":12345678901234567890}], "structuredContent":{"a":1}, "vendor":true, "resultType":"complete" }';
    expect(legacyResult(params(text))).toBe(text);
    expect(legacyResult(params('{"content":[]}'))).toBe('{"content":[]}');
  });

  it('is structured content that is not an object, as exact text', () => {
    expect(JSON.parse(legacyResult(params('{"structuredContent":[12345678901234567890],"x":1}')))).toEqual({
      x: 1,
      content: [{ type: 'text', text: '[12345678901234567890]' }],
    });
  });

  it("is the server's text for structured content that is not an object", () => {
    const text = '{"content":[{"type":"text","text":"two"}],"structuredContent":2}';
    expect(legacyResult(params(text))).toBe('{"content":[{"type":"text","text":"two"}]}');
  });
});
