import { isMap, isScalar, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml';
import { isRecord } from '../lib/is-record.js';

export interface NewServer {
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
  /** A YAML comment above the entry. */
  readonly comment?: string;
}

/** Thrown if nothing can be added to the text without changing the rest of it. */
export class CannotAdd extends Error {
  override readonly name = 'CannotAdd';
}

/** Adds servers to the text of a `tidegate.yaml`. Existing bytes and their meaning stay unchanged. */
export function addServers(text: string, servers: readonly NewServer[]): string {
  if (servers.length === 0) return text;
  const before = plainOf(text);
  const next = spliced(text, servers);
  const known = isRecord(before['servers']) ? before['servers'] : {};
  const added = Object.fromEntries(servers.map(({ name, entry }) => [name, entry]));
  const wanted = { ...before, servers: { ...known, ...added } };
  if (!sameValue(plainOf(next), wanted)) throw new CannotAdd('adding the servers would change other values');
  return next;
}

/** The servers of a text by name, from `servers` and `mcpServers`. */
export function serversOf(text: string): Readonly<Record<string, unknown>> {
  const { servers, mcpServers } = plainOf(text);
  return { ...(isRecord(mcpServers) ? mcpServers : {}), ...(isRecord(servers) ? servers : {}) };
}

/** The data of a text without its servers. */
export function withoutServers(text: string): Readonly<Record<string, unknown>> {
  const { servers: _, mcpServers: __, ...rest } = plainOf(text);
  return rest;
}

/** The YAML text of the servers. */
export function serversText(servers: readonly NewServer[]): string {
  return `servers:\n${blockOf(servers, '  ')}`;
}

function plainOf(text: string): Readonly<Record<string, unknown>> {
  const document = parseDocument(text, { uniqueKeys: true });
  if (document.errors.length > 0) throw new CannotAdd('it has syntax errors');
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 1000 });
  } catch {
    throw new CannotAdd('it has an alias that cannot be resolved');
  }
  if (value === null || value === undefined) return {};
  if (!isRecord(value)) throw new CannotAdd('it is not a mapping');
  return value;
}

function spliced(text: string, servers: readonly NewServer[]): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = (block: string): string => block.replaceAll('\n', end);
  const { contents } = parseDocument(text);
  if (!isMap(contents)) return `${ended(text, end)}${lines(serversText(servers))}`;
  const pair = contents.items.find(({ key }) => isScalar(key) && key.value === 'servers');
  if (pair === undefined) {
    if (contents.flow !== true) return `${ended(text, end)}${end}${lines(serversText(servers))}`;
    return intoFlow(text, contents, `"servers": {${flowOf(servers)}}`);
  }
  if (isMap(pair.value)) return intoMap(text, pair.value, servers, lines);
  return afterLine(text, keyEnd(pair), lines(blockOf(servers, '  ')), end);
}

function intoMap(
  text: string,
  map: YAMLMap,
  servers: readonly NewServer[],
  lines: (block: string) => string,
): string {
  if (map.flow === true) return intoFlow(text, map, flowOf(servers));
  const first = map.items[0]?.key;
  const last = map.items.at(-1);
  const start = isScalar(first) ? (first.range?.[0] ?? 0) : 0;
  const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  if (indent.trim() !== '' || last === undefined)
    throw new CannotAdd('the indentation of its servers is inconsistent');
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  return afterLine(text, valueEnd(last), lines(blockOf(servers, indent)), end);
}

function keyEnd({ key }: Pair): number {
  return isScalar(key) ? (key.range?.[1] ?? 0) : 0;
}

function valueEnd({ key, value }: Pair): number {
  const range = (value as { readonly range?: readonly number[] } | null)?.range;
  return range?.[1] ?? (isScalar(key) ? (key.range?.[1] ?? 0) : 0);
}

/** Inserts the block after the line at `place`; a place at the start of a line belongs to the line before. */
function afterLine(text: string, place: number, block: string, end: string): string {
  const found = text[place - 1] === '\n' ? place - 1 : text.indexOf('\n', place);
  if (found === -1) return `${text}${end}${block}`;
  return text.slice(0, found + 1) + block + text.slice(found + 1);
}

function intoFlow(text: string, map: YAMLMap, added: string): string {
  const close = (map.range?.[1] ?? 0) - 1;
  if (text[close] !== '}') throw new CannotAdd('the end of its servers cannot be found');
  const before = text.slice(0, close).trimEnd();
  const gap = text.slice(before.length, close);
  const comma = map.items.length === 0 || before.endsWith(',') ? '' : ',';
  return `${before}${comma} ${added}${gap}${text.slice(close)}`;
}

function blockOf(servers: readonly NewServer[], indent: string): string {
  const texts = servers.map(({ name, entry, comment }) => {
    const above = comment === undefined ? '' : `# ${comment.replaceAll(/\s+/g, ' ')}\n`;
    return above + stringify({ [name]: entry }, { indent: 2, lineWidth: 0 });
  });
  return texts.join('').replaceAll(/^(?=.)/gm, indent);
}

/** JSON is valid YAML. */
function flowOf(servers: readonly NewServer[]): string {
  return servers.map(({ name, entry }) => `${JSON.stringify(name)}: ${JSON.stringify(entry)}`).join(', ');
}

function ended(text: string, end: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}${end}`;
}

function sameValue(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
