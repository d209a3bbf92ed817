import { describe, expect, it } from 'vitest';
import { callOf } from '../../../test/support/upstream-calls.js';
import { emptyObject, JsonText } from '../../lib/json-text.js';
import type { Target } from '../../core/index.js';
import { paramsFor } from './request-params.js';

const source = 'server:s' as const;
const tool: Target = {
  kind: 'tool',
  spec: {
    kind: 'tool',
    name: 's_echo',
    localName: 'echo',
    source,
    effect: 'execute',
    hints: {},
    definition: emptyObject,
  },
};
const prompt = { kind: 'prompt', name: 's_p', localName: 'p', source, definition: emptyObject } as const;
const nothing = { inputResponses: undefined, requestState: undefined };

describe('the params that a server gets', () => {
  it('differ only in the name', () => {
    const params =
      '{ "arguments" : {"n": 12345678901234567890, "x":1.0, "u":"\\u00e9"}, "name":"s_echo" ,"odd":[ ]}';
    expect(paramsFor(callOf(tool, { params }), { progressToken: undefined }, nothing)).toBe(
      '{ "arguments" : {"n": 12345678901234567890, "x":1.0, "u":"\\u00e9"}, "name":"echo" ,"odd":[ ]}',
    );
  });

  it('contain our progress token instead of the caller’s, with the rest of _meta unchanged', () => {
    const params = '{"name":"s_echo","_meta":{"progressToken":"theirs","vendor/x": 1.50}}';
    expect(paramsFor(callOf(tool, { params }), { progressToken: '7' }, nothing)).toBe(
      '{"name":"echo","_meta":{"progressToken":7,"vendor/x": 1.50}}',
    );
  });

  it('drop an argument that one client adds to every call, unless the tool declares it', () => {
    const params = '{"name":"s_echo","arguments":{"a": 1.0,"wait_for_previous":true}}';
    const from = (name: string, target: Target) => {
      const client = { ...callOf(target).client, info: JsonText.from({ name }) };
      return paramsFor({ ...callOf(target, { params }), client }, {}, nothing);
    };
    const own = { inputSchema: { properties: { wait_for_previous: {} } } };
    const waiting: Target = { ...tool, spec: { ...tool.spec, definition: JsonText.from(own) } };
    const kept = '{"name":"echo","arguments":{"a": 1.0,"wait_for_previous":true}}';
    expect(from('gemini-cli-mcp-client', tool)).toBe('{"name":"echo","arguments":{"a": 1.0}}');
    expect(from('gemini-cli-mcp-client', waiting)).toBe(kept);
    expect(from('another', tool)).toBe(kept);
  });

  it('drop an unwanted progress token, and a _meta that becomes empty', () => {
    const params = '{"name":"s_echo","_meta":{"progressToken":"theirs"}}';
    expect(paramsFor(callOf(tool, { params }), { progressToken: undefined }, nothing)).toBe(
      '{"name":"echo"}',
    );
  });

  it('get a _meta if there was none, or if it was not an object', () => {
    for (const params of ['{"name":"s_echo"}', '{"name":"s_echo","_meta":5}']) {
      expect(paramsFor(callOf(tool, { params }), { progressToken: '7' }, nothing)).toBe(
        '{"name":"echo","_meta":{"progressToken":7}}',
      );
    }
  });

  it('pass answers on, but never a state that the server did not issue', () => {
    const params = '{"name":"s_echo","inputResponses":{"old":1},"requestState":"forged"}';
    const answers = { inputResponses: '{"k":{"n":1e400}}', requestState: undefined };
    expect(paramsFor(callOf(tool, { params }), {}, answers)).toBe(
      '{"name":"echo","inputResponses":{"k":{"n":1e400}}}',
    );
  });

  it('are refused with a duplicate member, because two parsers could read them differently', () => {
    const params = '{"name":"s_hidden","arguments":{},"n\\u0061me":"s_echo"}';
    expect(paramsFor(callOf(tool, { params }), {}, nothing)).toBeUndefined();
  });

  it('name the prompt of a completion as the server does', () => {
    const params = '{"ref":{"type":"ref/prompt","name":"s_p"},"argument":{"name":"a","value":""}}';
    expect(paramsFor(callOf({ kind: 'completion', spec: prompt }, { params }), {}, nothing)).toBe(
      '{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}',
    );
  });

  it('leave addresses and templates unchanged', () => {
    const spec = { kind: 'template', uriTemplate: 'a://{x}', source, definition: emptyObject } as const;
    const read = '{"uri":"a://1" }';
    expect(paramsFor(callOf({ kind: 'resource', uri: 'a://1', spec }, { params: read }), {}, nothing)).toBe(
      read,
    );
    const complete = '{"ref":{"type":"ref/resource","uri":"a://{x}"}}';
    expect(paramsFor(callOf({ kind: 'completion', spec }, { params: complete }), {}, nothing)).toBe(complete);
  });
});
