import { asRecord } from '../../lib/is-record.js';
import type { Frame } from '../../lib/json-rpc.js';
import type { JsonText } from '../../lib/json-text.js';
import { metaKeys, metaOf, modernVersion } from '../stateless/codec.js';
import { annotated, namedBy, valueAt } from '../http/modern-headers.js';

type RequestFrame = Extract<Frame, { readonly kind: 'request' }>;

/** Learns from tool lists which arguments the gateway wants as headers. */
export interface MirrorHeaders {
  of(frame: RequestFrame): Readonly<Record<string, string>>;
  /** Read the result of a `tools/list`. */
  learn(result: JsonText): void;
}

const maxTools = 20_000;

export function createMirrorHeaders(): MirrorHeaders {
  const byTool = new Map<string, ReturnType<typeof annotated>>();

  function paramHeaders(params: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
    const marks = byTool.get(String(params['name'])) ?? [];
    const headers: Record<string, string> = {};
    for (const { header, path } of marks) {
      const value = valueAt(params['arguments'], path);
      if (value === undefined || value === null) continue;
      headers[`mcp-param-${header.toLowerCase()}`] = headerValue(plain(value));
    }
    return headers;
  }

  return {
    of({ method, params }) {
      const version = metaOf(params)?.[metaKeys.protocolVersion];
      const values = asRecord(params?.value);
      const name = values[namedBy[method] ?? ''];
      return {
        'mcp-protocol-version': typeof version === 'string' ? headerValue(version) : modernVersion,
        'mcp-method': headerValue(method),
        ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
        ...(method === 'tools/call' && paramHeaders(values)),
      };
    },
    learn(result) {
      if (!result.text.includes('x-mcp-header')) return;
      const { tools } = asRecord(result.value);
      for (const tool of Array.isArray(tools) ? (tools as readonly unknown[]) : []) {
        const { name, inputSchema } = asRecord(tool);
        const marks = annotated(inputSchema, []);
        if (typeof name !== 'string' || marks.length === 0) continue;
        if (byTool.size >= maxTools) byTool.clear();
        byTool.set(name, marks);
      }
    },
  };
}

/** A header value: plain if that is safe, otherwise in the protocol's base64 form. */
function headerValue(value: string): string {
  const isSafe = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?');
  return isSafe ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
