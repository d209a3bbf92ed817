// Formats and parses principals, tools, providers, groups and profiles in tuples. No other file may build such ids.
import type { Principal, Source, ToolSpec } from '../core/index.js';

export type PrincipalName = Pick<Principal, 'kind' | 'id'>;

/** A parsed tuple object. */
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

/** Parses `agent:alice`. Undefined if it is not a valid principal. */
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
  // Escape slashes, or a tool of one provider could look like a tool of another.
  return colon === -1 ? source : `${source.slice(0, colon)}/${encode(source.slice(colon + 1), /[/]/)}`;
}

export function providerObject(source: Source): string {
  return `provider:${providerId(source)}`;
}

/** Uses the provider's name for the tool, so that taking over a display name does not take over its grants. */
export function toolObject({ source, localName }: Pick<ToolSpec, 'source' | 'localName'>): string {
  return `tool:${providerId(source)}/${encode(localName)}`;
}

export function groupOfTier(tier: number): string {
  return `group:tier/${String(tier)}`;
}

/** All tools whose display name matches the pattern. */
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

/** Parses a tuple object; undefined if this file did not create it. */
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

/** A tuple object or user in readable form: `agent:alice`, `server:github/create_issue`, `tier:3`. */
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

// Characters that are special to the engine, unsafe in stores or terminals, or used for escaping.
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

// An id of just `*` would mean everybody.
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
