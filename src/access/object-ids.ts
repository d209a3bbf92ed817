// How principals, tools, providers, groups and profiles are written in tuples, and how they are read back. No other
// file puts such a text together.
import type { Principal, Source, ToolSpec } from '../kernel/index.js';

export type PrincipalName = Pick<Principal, 'kind' | 'id'>;

/** What a tuple's object stands for. */
export type ObjectParts =
  | { readonly type: 'principal'; readonly principal: PrincipalName }
  | { readonly type: 'tool'; readonly source: Source; readonly localName: string }
  | { readonly type: 'provider'; readonly source: Source }
  | { readonly type: 'group'; readonly kind: 'tier'; readonly tier: number }
  | { readonly type: 'group'; readonly kind: 'glob'; readonly pattern: string }
  | { readonly type: 'profile' | 'role' | 'zone'; readonly name: string };

const principalKinds = ['user', 'agent', 'service'] as const;
const principalShape = /^(user|agent|service):([\w.@-]+(?:\/[\w.@-]+)*)$/;
const dots = /(?:^|\/)\.{1,2}(?:\/|$)/;
const longestPrincipal = 128;

/** Reads `agent:alice` as people write it. Undefined: that is no principal. */
export function parsePrincipal(text: string): PrincipalName | undefined {
  const [, kind, id = ''] = principalShape.exec(text) ?? [];
  const known = principalKinds.find((one) => one === kind);
  if (known === undefined || id.length > longestPrincipal || dots.test(id)) return undefined;
  return { kind: known, id };
}

export function formatPrincipal({ kind, id }: PrincipalName): string {
  return `${kind}:${id}`;
}

/** `principal:agent/alice`. */
export function principalObject({ kind, id }: PrincipalName): string {
  return `principal:${kind}/${encode(id)}`;
}

/** `builtin`, `workspace`, `server/github`, `plugin/x`. */
export function providerId(source: Source): string {
  const colon = source.indexOf(':');
  // A slash in the name would make one provider's tool look like another's.
  return colon === -1 ? source : `${source.slice(0, colon)}/${encode(source.slice(colon + 1), /[/]/)}`;
}

export function providerObject(source: Source): string {
  return `provider:${providerId(source)}`;
}

/** By the name that its provider gives it: whoever takes over a display name takes over no grant. */
export function toolObject({ source, localName }: Pick<ToolSpec, 'source' | 'localName'>): string {
  return `tool:${providerId(source)}/${encode(localName)}`;
}

export function groupOfTier(tier: number): string {
  return `group:tier/${String(tier)}`;
}

/** All tools whose display name fits the pattern. */
export function groupOfGlob(pattern: string): string {
  return `group:glob/${encode(pattern)}`;
}

export function profileObject(name: string): string {
  return `profile:${encodeWhole(name)}`;
}

export function roleObject(name: string): string {
  return `role:${encodeWhole(name)}`;
}

export function zoneObject(name: string): string {
  return `zone:${encodeWhole(name)}`;
}

/** What an object of a tuple stands for; undefined for one that this file did not make. */
export function parseObject(object: string): ObjectParts | undefined {
  const colon = object.indexOf(':');
  const id = object.slice(colon + 1);
  const type = object.slice(0, Math.max(0, colon));
  switch (type) {
    case 'principal':
      return principalParts(id);
    case 'tool':
    case 'provider':
      return providedParts(type, id);
    case 'group':
      return groupParts(id);
    case 'profile':
    case 'role':
    case 'zone':
      return id === '' || id === '*' ? undefined : { type, name: decode(id) };
    default:
      return undefined;
  }
}

/** An object or user of a tuple in the words that people use: `agent:alice`, `server:github/create_issue`, `tier:3`. */
export function describeObject(object: string): string {
  if (object === 'principal:*') return 'everybody';
  const [plain = '', relation] = object.split('#', 2);
  const parts = parseObject(plain);
  const words = parts === undefined ? plain : describeParts(parts);
  return relation === undefined ? words : `${words}#${relation}`;
}

function describeParts(parts: ObjectParts): string {
  switch (parts.type) {
    case 'principal':
      return formatPrincipal(parts.principal);
    case 'tool':
      return `${parts.source}/${parts.localName}`;
    case 'provider':
      return parts.source.includes(':') ? parts.source : `${parts.source}/*`;
    case 'group':
      return parts.kind === 'tier' ? `tier:${String(parts.tier)}` : parts.pattern;
    default:
      return `${parts.type}:${parts.name}`;
  }
}

function principalParts(id: string): ObjectParts | undefined {
  const [kind, name] = cut(id);
  const known = principalKinds.find((one) => one === kind);
  if (known === undefined || name === undefined) return undefined;
  return { type: 'principal', principal: { kind: known, id: decode(name) } };
}

function providedParts(type: 'tool' | 'provider', id: string): ObjectParts | undefined {
  const [head, rest] = cut(id);
  if (head === 'builtin' || head === 'workspace') return partsOf(type, head, rest);
  if ((head !== 'server' && head !== 'plugin') || rest === undefined) return undefined;
  const [name, localName] = cut(rest);
  return name === '' ? undefined : partsOf(type, `${head}:${decode(name)}`, localName);
}

function partsOf(
  type: 'tool' | 'provider',
  source: Source,
  localName: string | undefined,
): ObjectParts | undefined {
  if (type === 'provider') return localName === undefined ? { type, source } : undefined;
  return localName === undefined ? undefined : { type, source, localName: decode(localName) };
}

function groupParts(id: string): ObjectParts | undefined {
  const [kind, name] = cut(id);
  if (name === undefined) return undefined;
  if (kind === 'glob') return { type: 'group', kind, pattern: decode(name) };
  return kind === 'tier' && /^\d{1,2}$/.test(name) ? { type: 'group', kind, tier: Number(name) } : undefined;
}

function cut(id: string): readonly [string, string | undefined] {
  const slash = id.indexOf('/');
  return slash === -1 ? [id, undefined] : [id.slice(0, slash), id.slice(slash + 1)];
}

// What the engine reads as something else, what a store or a terminal would change, and the sign of escaping itself.
const forbidden = /[\s:#%\p{Cc}\p{Cs}]/u;

function encode(text: string, also?: RegExp): string {
  if (!forbidden.test(text) && also?.test(text) !== true) return text;
  let encoded = '';
  for (const character of text) {
    const isPlain = !forbidden.test(character) && also?.test(character) !== true;
    encoded += isPlain ? character : escaped(character);
  }
  return encoded;
}

// An id that is a star and nothing else would mean everybody.
function encodeWhole(name: string): string {
  return encode(name, /[*]/);
}

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  const [sign, length] = code < 0x100 ? ['%', 2] : ['%u', 4];
  return sign + code.toString(16).toUpperCase().padStart(length, '0');
}

function decode(text: string): string {
  return text.replace(/%u([0-9A-F]{4})|%([0-9A-F]{2})/g, (_, wide: string | undefined, narrow: string) =>
    String.fromCharCode(Number.parseInt(wide ?? narrow, 16)),
  );
}
