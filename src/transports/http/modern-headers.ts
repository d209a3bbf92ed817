import type { IncomingHttpHeaders } from 'node:http';
import { decodeUtf8 } from '../../lib/lines.js';
import { type JsonText, membersOf, textOf } from '../../lib/json-text.js';
import type { ToolSpec } from '../../core/index.js';

/** Describe a mismatch between the headers and the body of a stateless request, if any. */
export function headerProblem(
  headers: IncomingHttpHeaders,
  method: string,
  params: JsonText,
  version: string,
): string | undefined {
  const given = headers['mcp-protocol-version'];
  if (given === undefined) return 'MCP-Protocol-Version header is missing';
  if (given !== version) return mismatch('MCP-Protocol-Version', String(given), version);
  if (headers['mcp-method'] === undefined) return 'Mcp-Method header is missing';
  if (headers['mcp-method'] !== method) return mismatch('Mcp-Method', String(headers['mcp-method']), method);
  return nameProblem(headers['mcp-name'], method, params);
}

export const namedBy: Readonly<Record<string, 'name' | 'uri'>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

function nameProblem(
  header: string | string[] | undefined,
  method: string,
  params: JsonText,
): string | undefined {
  const member = namedBy[method];
  if (member === undefined) return undefined;
  const body = (params.value as Readonly<Record<string, unknown>>)[member];
  if (typeof body !== 'string') return undefined;
  if (typeof header !== 'string') return 'Mcp-Name header is missing';
  const decoded = decodeValue(header);
  if (decoded === undefined) return 'Mcp-Name header has invalid characters or encoding';
  return decoded === body ? undefined : mismatch('Mcp-Name', decoded, body);
}

/** Describe a problem with the `Mcp-Param-*` headers of a call, if any. */
export function paramProblem(
  headers: IncomingHttpHeaders,
  tool: ToolSpec,
  params: JsonText,
): string | undefined {
  const { inputSchema } = tool.definition.value as { readonly inputSchema?: unknown };
  const given = (params.value as { readonly arguments?: unknown }).arguments;
  for (const { header, path } of annotated(inputSchema, [])) {
    const body = { value: valueAt(given, path), text: () => textAt(params.text, ['arguments', ...path]) };
    const problem = oneParamProblem(headers[`mcp-param-${header.toLowerCase()}`], header, body);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function oneParamProblem(
  given: string | string[] | undefined,
  header: string,
  body: Mirrored,
): string | undefined {
  const name = `Mcp-Param-${header}`;
  if (body.value === undefined || body.value === null) {
    return given === undefined ? undefined : `${name} header has no counterpart in the body`;
  }
  if (typeof given !== 'string') return `${name} header is missing`;
  const decoded = decodeValue(given);
  if (decoded === undefined) return `${name} header has invalid characters or encoding`;
  const isEqual =
    typeof body.value === 'number'
      ? isSameNumber(decoded, body.value, body.text)
      : decoded === plain(body.value);
  return isEqual ? undefined : mismatch(name, decoded, plain(body.value));
}

/** An argument that is also in a header: its value and its source text. */
interface Mirrored {
  readonly value: unknown;
  readonly text: () => string | undefined;
}

/** Compare as numbers, or as text where JavaScript cannot tell two numbers apart. */
function isSameNumber(header: string, value: number, text: () => string | undefined): boolean {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(header)) return false;
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return Number(header) === value;
  return header === JSON.stringify(value) || header === text();
}

function textAt(text: string, path: readonly string[]): string | undefined {
  let current: string | undefined = text;
  for (const key of path) current &&= textOf(current, membersOf(current), key);
  return current;
}

/** A value in the form that a header uses. Only strings, integers and booleans can be mirrored. */
function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface Annotated {
  readonly header: string;
  readonly path: readonly string[];
}

export function annotated(schema: unknown, path: readonly string[]): Annotated[] {
  if (typeof schema !== 'object' || schema === null || path.length > 16) return [];
  const { properties, 'x-mcp-header': header } = schema as {
    readonly properties?: unknown;
    readonly 'x-mcp-header'?: unknown;
  };
  const own = typeof header === 'string' && header !== '' && path.length > 0 ? [{ header, path }] : [];
  if (typeof properties !== 'object' || properties === null) return own;
  return [...own, ...Object.entries(properties).flatMap(([key, inner]) => annotated(inner, [...path, key]))];
}

export function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Readonly<Record<string, unknown>>)[key];
  }
  return current;
}

/** Decode a header value; undefined if it is invalid. */
function decodeValue(value: string): string | undefined {
  if (/[^\t\x20-\x7e]/.test(value)) return undefined;
  if (!value.startsWith('=?base64?') || !value.endsWith('?=')) return value;
  const inner = value.slice('=?base64?'.length, -2);
  const bytes = Buffer.from(inner, 'base64');
  return bytes.toString('base64') === inner ? decodeUtf8(bytes) : undefined;
}

function mismatch(name: string, header: string, body: string): string {
  return `${name} header value '${header}' does not match body value '${body}'`;
}
