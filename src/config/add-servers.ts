import { isMap, isScalar, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml';

export interface NewServer {
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
  /** What is said above it. */
  readonly comment?: string;
}

/** The text is written in a way that nothing can be added to without changing the rest. */
export class CannotAdd extends Error {
  override readonly name = 'CannotAdd';
}

/** The text of a `tidegate.yaml` with more servers. All that stood there stays, byte by byte, and means the same. */
export function addServers(text: string, servers: readonly NewServer[]): string {
  if (servers.length === 0) return text;
  const before = plainOf(text);
  const next = spliced(text, servers);
  const known = isObject(before['servers']) ? before['servers'] : {};
  const added = Object.fromEntries(servers.map(({ name, entry }) => [name, entry]));
  const wanted = { ...before, servers: { ...known, ...added } };
  if (!sameValue(plainOf(next), wanted)) throw new CannotAdd('something else would have changed too');
  return next;
}

/** The servers of a text, by name, in both spellings. */
export function serversOf(text: string): Readonly<Record<string, unknown>> {
  const { servers, mcpServers } = plainOf(text);
  return { ...(isObject(mcpServers) ? mcpServers : {}), ...(isObject(servers) ? servers : {}) };
}

/** All of a text but its servers, as data. */
export function withoutServers(text: string): Readonly<Record<string, unknown>> {
  const { servers: _, mcpServers: __, ...rest } = plainOf(text);
  return rest;
}

/** How the servers would be written by hand. */
export function serversText(servers: readonly NewServer[]): string {
  return `servers:\n${blockOf(servers, '  ')}`;
}

function plainOf(text: string): Readonly<Record<string, unknown>> {
  const document = parseDocument(text, { uniqueKeys: true });
  if (document.errors.length > 0) throw new CannotAdd('it has errors');
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 1000 });
  } catch {
    throw new CannotAdd('an alias of it leads nowhere, or too far');
  }
  if (value === null || value === undefined) return {};
  if (!isObject(value)) throw new CannotAdd('it holds no mapping');
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
    throw new CannotAdd('its servers are indented in an odd way');
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

/** Behind the line that the place is in; a place at the start of a line is behind the one before. */
function afterLine(text: string, place: number, block: string, end: string): string {
  const found = text[place - 1] === '\n' ? place - 1 : text.indexOf('\n', place);
  if (found === -1) return `${text}${end}${block}`;
  return text.slice(0, found + 1) + block + text.slice(found + 1);
}

function intoFlow(text: string, map: YAMLMap, added: string): string {
  const close = (map.range?.[1] ?? 0) - 1;
  if (text[close] !== '}') throw new CannotAdd('its end cannot be found');
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

/** JSON is YAML. */
function flowOf(servers: readonly NewServer[]): string {
  return servers.map(({ name, entry }) => `${JSON.stringify(name)}: ${JSON.stringify(entry)}`).join(', ');
}

function ended(text: string, end: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}${end}`;
}

function sameValue(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
