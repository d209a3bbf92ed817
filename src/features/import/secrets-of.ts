import { isSecretName, redactText } from '../../observers/log/index.js';
import { type ServerStart, variableName } from '../../clients/index.js';

/** A plain-text value that looks like a secret. */
export interface FoundSecret {
  /** Possible variable names, best first. */
  readonly names: readonly string[];
  readonly value: string;
  /** Where it was found, for display: "env GITHUB_TOKEN". */
  readonly where: string;
}

/** Returns the reference that replaces a secret. */
export type Hide = (secret: FoundSecret) => string;

/** Replaces every plain-text secret with a reference. */
export function withoutSecrets(name: string, start: ServerStart, hide: Hide): ServerStart {
  const own = variableName(name);
  if (start.kind === 'http') return httpWithout(own, start, hide);
  const env = Object.entries(start.env).map(([key, value]) => {
    const names = [variableName(key), `${own}_${variableName(key)}`];
    return [
      key,
      textWithout(value, { names, where: `env ${key}`, isNamed: isSecretName(key) || isKeyName(key) }, hide),
    ];
  });
  return {
    ...start,
    args: argsWithout(own, start.args, hide),
    env: Object.fromEntries(env) as Readonly<Record<string, string>>,
  };
}

interface Spot {
  readonly names: readonly string[];
  readonly where: string;
  /** Whether the name before the value marks it as a secret. */
  readonly isNamed: boolean;
}

const reference = /\$\{[A-Za-z_]\w*(?::-[^}]*)?\}/;

/** Search only up to the last brace; otherwise each `${` is scanned to the end of the text (quadratic time). */
function hasReference(text: string): boolean {
  return reference.test(text.slice(0, text.lastIndexOf('}') + 1));
}

/** Names that usually hold secrets in server settings, though not in logs. */
function isKeyName(name: string): boolean {
  return /(?:^|[_-])(?:key|pat|dsn|creds?)$/i.test(name);
}

function textWithout(text: string, { names, where, isNamed }: Spot, hide: Hide): string {
  if (text.trim() === '') return text;
  if (hasReference(text)) return defaultsWithout(text, { names, where }, hide);
  const inAddress = addressWithout(text, { names, where }, hide);
  if (inAddress !== undefined) return inAddress;
  if (!isNamed && !looksSecret(text)) return text;
  return hide({ names, value: clear(text), where });
}

/** `${NAME:-default}` whose default is a secret: replaced by a reference without a default. */
function defaultsWithout(text: string, { names, where }: Omit<Spot, 'isNamed'>, hide: Hide): string {
  const cut = text.lastIndexOf('}') + 1;
  const safe = text
    .slice(0, cut)
    .replaceAll(/(?<!\$)\$\{([A-Za-z_]\w*):-([^}]*)\}/g, (whole, name: string, value: string) =>
      looksSecret(value)
        ? hide({ names: [name, names.at(-1) ?? name], value, where: `default value in ${where}` })
        : whole,
    );
  return safe + text.slice(cut);
}

/** Judged by its form: `redactText` would remove it from a log. */
function looksSecret(text: string): boolean {
  if (redactText(text) !== text) return true;
  // A single random word; paths and package names do not match.
  return /^[\w+=.~-]{16,}$/.test(text) && redactText(`value=${text}`) !== `value=${text}`;
}

/** The literal text, with our escapes removed. */
function clear(text: string): string {
  return text.replaceAll('$${', () => '${');
}

/** The password in a URL such as `postgres://user:password@host/name`. */
function addressWithout(
  text: string,
  { names, where }: Omit<Spot, 'isNamed'>,
  hide: Hide,
): string | undefined {
  const parts = partsOf(text);
  if (parts === undefined) return undefined;
  const { scheme, user, password, rest } = parts;
  const own = names.map((name) =>
    /PASSWORD$/.test(name) ? name : `${name.replace(/_SECRET$/, '')}_PASSWORD`,
  );
  return `${scheme}${user}:${hide({ names: own, value: clear(password), where: `password in ${where}` })}@${rest}`;
}

/** Uses the first colon and the last @: a regular expression that tries them all takes quadratic time. */
function partsOf(
  text: string,
): Readonly<Record<'scheme' | 'user' | 'password' | 'rest', string>> | undefined {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0];
  const at = text.lastIndexOf('@');
  if (scheme === undefined || at < scheme.length || /\s/.test(text)) return undefined;
  const info = text.slice(scheme.length, at);
  const colon = info.indexOf(':');
  if (colon === -1 || /[/?#]/.test(info)) return undefined;
  const [user, password] = [info.slice(0, colon), info.slice(colon + 1)];
  if (password === '' || user.includes('@')) return undefined;
  return { scheme, user, password, rest: text.slice(at + 1) };
}

function argsWithout(own: string, args: readonly string[], hide: Hide): readonly string[] {
  return args.map((arg, at) => {
    const flag = /^--?([A-Za-z][\w-]*)=(.+)$/s.exec(arg);
    if (flag !== null) {
      const [, name = '', value = ''] = flag;
      const start = arg.slice(0, arg.length - value.length);
      return start + textWithout(value, spotOf(own, name), hide);
    }
    const before = /^--?([A-Za-z][\w-]*)$/.exec(args[at - 1] ?? '')?.[1];
    const header = headerIn(arg);
    if (header !== undefined)
      return `${header.name}:${header.gap}${headerWithout(own, header.name, header.value, hide)}`;
    if (before !== undefined && !arg.startsWith('-')) return textWithout(arg, spotOf(own, before), hide);
    return textWithout(
      arg,
      { names: [`${own}_SECRET`], where: `argument ${String(at + 1)}`, isNamed: false },
      hide,
    );
  });
}

function spotOf(own: string, flag: string): Spot {
  const isNamed = isSecretName(flag) || isKeyName(flag);
  return { names: [`${own}_${variableName(flag)}`], where: `argument --${flag}`, isNamed };
}

/** `--header "Authorization: Bearer …"`, as stdio-to-HTTP proxies expect it. */
function headerIn(
  arg: string,
): { readonly name: string; readonly gap: string; readonly value: string } | undefined {
  const [, name, gap, value] = /^([A-Za-z][A-Za-z0-9-]*):(\s*)(\S.*)$/s.exec(arg) ?? [];
  const isHeader = name !== undefined && (isSecretName(name) || /^x-.*key$/i.test(name));
  return isHeader ? { name, gap: gap ?? '', value: value ?? '' } : undefined;
}

function httpWithout(own: string, start: Extract<ServerStart, { kind: 'http' }>, hide: Hide): ServerStart {
  const { url, user } = urlWithout(own, start.url, hide);
  const headers = Object.entries(start.headers).map(
    ([name, value]) => [name, headerWithout(own, name, value, hide)] as const,
  );
  const hasOwn = headers.some(([name]) => name.toLowerCase() === 'authorization');
  const basic = user !== undefined && !hasOwn ? [['Authorization', user] as const] : [];
  return { kind: 'http', url, headers: Object.fromEntries([...headers, ...basic]) };
}

function headerWithout(own: string, name: string, value: string, hide: Hide): string {
  const isAuthorization = /^(?:proxy-)?authorization$/i.test(name);
  const names = [`${own}_${isAuthorization ? 'TOKEN' : variableName(name)}`];
  const isNamed = isSecretName(name) || /key$/i.test(name);
  const [, scheme = '', rest = value] = isNamed
    ? (/^((?:Bearer|Basic|Token|ApiKey)\s+)(.*)$/is.exec(value) ?? [])
    : [];
  return scheme + textWithout(rest, { names, where: `header ${name}`, isNamed }, hide);
}

interface UrlWithout {
  readonly url: string;
  /** User and password of the URL as a header value. */
  readonly user?: string;
}

function urlWithout(own: string, url: string, hide: Hide): UrlWithout {
  const found = /^(https?:\/\/)([^/?#]*@)?([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is.exec(url);
  if (found === null) return { url };
  const [, scheme = '', userInfo, host = '', path = '', query = '', rest = ''] = found;
  const segments = path.split('/').map((segment) => segmentWithout(own, segment, hide));
  const pairs = query
    .slice(1)
    .split('&')
    .map((pair) => queryWithout(own, pair, hide));
  const user = userInfo === undefined ? undefined : basicOf(own, userInfo.slice(0, -1), hide);
  const next = `${scheme}${host}${segments.join('/')}${query === '' ? '' : `?${pairs.join('&')}`}${rest}`;
  return { url: next, ...(user !== undefined && { user }) };
}

function segmentWithout(own: string, segment: string, hide: Hide): string {
  const isLong = segment.length >= 20 && /\d/.test(segment) && /[A-Za-z]/.test(segment);
  if (!isLong || hasReference(segment) || !looksSecret(segment)) return segment;
  return hide({ names: [`${own}_URL_SECRET`], value: clear(segment), where: 'URL path' });
}

function queryWithout(own: string, pair: string, hide: Hide): string {
  const at = pair.indexOf('=');
  if (at === -1) return pair;
  const name = pair.slice(0, at);
  const isNamed = isSecretName(name) || /key$/i.test(name);
  const spot = { names: [`${own}_${variableName(name)}`], where: `URL parameter ${name}`, isNamed };
  return `${name}=${textWithout(pair.slice(at + 1), spot, hide)}`;
}

function basicOf(own: string, userInfo: string, hide: Hide): string {
  const plain = userInfo.split(':').map(decoded).join(':');
  const value = Buffer.from(plain.includes(':') ? plain : `${plain}:`).toString('base64');
  return `Basic ${hide({ names: [`${own}_BASIC_AUTH`], value, where: 'URL user and password' })}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
