import { describe, expect, it } from 'vitest';
import {
  createFault,
  type Fault,
  faultCodes,
  faultTable,
  type Source,
  type ToolSpec,
} from '../core/index.js';
import { JsonText } from '../lib/json-text.js';
import { faultText, mcpFaults, protocolError } from './faults.js';

function errorOf(
  fault: Fault,
  kind: 'tool' | 'resource' = 'resource',
  protocol: 'legacy' | 'modern' = 'modern',
) {
  const text = faultText(fault, kind, protocol);
  if (text.as !== 'error') throw new Error('a result');
  return { ...text, error: JSON.parse(text.text) as Readonly<Record<string, unknown>> };
}

describe('the MCP form of faults', () => {
  it('is defined for every code and no others', () => {
    expect(Object.keys(mcpFaults).sort()).toEqual([...faultCodes]);
  });

  it.each(faultCodes)('%s is a valid answer to every kind of request, in all protocol versions', (code) => {
    const fault = createFault(code, 'What happened.', { detail: 'secret detail' });
    for (const protocol of ['legacy', 'modern'] as const) {
      for (const kind of ['tool', 'prompt', 'resource', 'completion'] as const) {
        const face = faultText(fault, kind, protocol);
        const value = JSON.parse(face.text) as Readonly<Record<string, unknown>>;
        expect(face.text).not.toContain('secret detail');
        expect(face.text).toContain('What happened.');
        if (face.as === 'error') {
          expect(Number.isInteger(value['code'])).toBe(true);
          expect(typeof value['message']).toBe('string');
        } else {
          expect(kind).toBe('tool');
          expect(value).toMatchObject({ isError: true, content: [{ type: 'text' }] });
        }
      }
    }
  });

  it('has the code in data, except where hidden and absent must look alike', () => {
    const data = (code: Fault['code']): unknown => errorOf(createFault(code, 'x')).error['data'];
    expect(data('internal')).toEqual({ code: 'internal' });
    expect(data('cursor.invalid')).toEqual({ code: 'cursor.invalid' });
    expect(data('tool.not_found')).toBeUndefined();
    expect(data('prompt.not_found')).toBeUndefined();
  });

  it('uses the standard messages for missing targets', () => {
    const tool = createFault('tool.not_found', 'Unknown tool: x');
    expect(faultText(tool, 'tool', 'modern').text).toBe('{"code":-32602,"message":"Unknown tool: x"}');
    expect(faultText(tool, 'tool', 'legacy').text).toBe('{"code":-32602,"message":"Unknown tool: x"}');
    const resource = createFault('resource.not_found', 'Resource not found: a', { data: { uri: 'a' } });
    expect(errorOf(resource).error).toEqual({
      code: -32602,
      message: 'Resource not found: a',
      data: { uri: 'a' },
    });
    expect(errorOf(resource, 'resource', 'legacy').error).toMatchObject({ code: -32002 });
  });

  it('tells a stateless client which capability it lacks, with the status of that error', () => {
    const data = { requiredCapabilities: { sampling: {} } };
    const face = errorOf(createFault('ask.unsupported', 'no', { data }), 'tool');
    expect(face.httpStatus).toBe(400);
    expect(face.error).toEqual({ code: -32021, message: 'no', data });
    expect(errorOf(createFault('ask.unsupported', 'no', { data }), 'tool', 'legacy').error).toMatchObject({
      code: -32603,
    });
  });

  it('gives the model what it needs to fix a call', () => {
    const fault = createFault('input.invalid', 'x is missing.', {
      data: { inputSchema: { type: 'object' } },
    });
    const face = faultText(fault, 'tool', 'modern');
    expect(face.as).toBe('result');
    expect(JSON.parse(face.text)).toEqual({
      content: [
        { type: 'text', text: `x is missing. ${faultTable['input.invalid'].remedy} (input.invalid)` },
      ],
      isError: true,
      structuredContent: {
        error: {
          code: 'input.invalid',
          message: 'x is missing.',
          suggestion: faultTable['input.invalid'].remedy,
          retryable: false,
          details: { inputSchema: { type: 'object' } },
        },
      },
    });
  });

  it("includes a tool's reason, details and suggestion, in the text too", () => {
    const more = { reason: 'dirty', data: { files: ['a.ts'] }, suggestion: 'Commit first.', retryable: true };
    const face = faultText(createFault('work.bad_state', 'One file is uncommitted.', more), 'tool', 'legacy');
    expect(JSON.parse(face.text)).toEqual({
      content: [
        {
          type: 'text',
          text: 'One file is uncommitted. Commit first. (work.bad_state, dirty, retryable)\n{"files":["a.ts"]}',
        },
      ],
      isError: true,
      structuredContent: {
        error: {
          code: 'work.bad_state',
          message: 'One file is uncommitted.',
          reason: 'dirty',
          details: { files: ['a.ts'] },
          suggestion: 'Commit first.',
          retryable: true,
        },
      },
    });
  });

  it("leaves the structured content alone if the tool's output schema does not allow it", () => {
    const spec = (source: Source, outputSchema?: object): ToolSpec => ({
      kind: 'tool',
      name: 't',
      localName: 't',
      source,
      effect: 'read',
      hints: {},
      definition: JsonText.from({ name: 't', ...(outputSchema && { outputSchema }) }),
    });
    const fault = createFault('provider.lost', 'It went away.');
    const keysOf = (tool: ToolSpec): string[] =>
      Object.keys(JSON.parse(faultText(fault, 'tool', 'modern', tool).text) as object);
    expect(keysOf(spec('server:x', { type: 'object' }))).toEqual(['content', 'isError', '_meta']);
    expect(keysOf(spec('server:x'))).toEqual(['content', 'isError', 'structuredContent']);
    expect(keysOf(spec('builtin', { type: 'object' }))).toEqual(['content', 'isError', 'structuredContent']);
  });

  it('passes on an upstream error unchanged', () => {
    const upstream = new JsonText('{ "code":-32050, "message":"odd", "data":12345678901234567890 }');
    const fault = createFault('upstream.error', 'ignored', { upstream });
    expect(errorOf(fault, 'tool')).toMatchObject({ text: upstream.text, httpStatus: 200 });
    expect(errorOf(fault, 'tool', 'legacy')).toMatchObject({ text: upstream.text });
  });

  it.each([-32020, -32021, -32022])('keeps the HTTP status of error %d', (code) => {
    const fault = createFault('upstream.error', 'x', { upstream: JsonText.from({ code, message: 'm' }) });
    expect(errorOf(fault, 'tool').httpStatus).toBe(400);
  });

  it('replaces the error code that 2026-07-28 retired', () => {
    const upstream = new JsonText('{"code":-32002, "message":"gone","data":{"uri":"x"}}');
    const fault = createFault('upstream.error', 'x', { upstream });
    expect(faultText(fault, 'resource', 'modern').text).toBe(
      '{"code":-32602, "message":"gone","data":{"uri":"x"}}',
    );
    expect(faultText(fault, 'resource', 'legacy').text).toBe(upstream.text);
  });
});

describe('protocolError', () => {
  it('answers with the id as written, or without one', () => {
    expect(protocolError('9007199254740993', -32600, 'a"b')).toBe(
      '{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-32600,"message":"a\\"b"}}',
    );
    expect(protocolError(undefined, -32700, 'x', { a: 1 })).toBe(
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x","data":{"a":1}}}',
    );
  });
});
