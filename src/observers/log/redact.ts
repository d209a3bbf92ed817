import { secretValues } from './assignments.js';
import { isSecretName } from './secret-names.js';

const redacted = '[redacted]';

/** Longer texts are cut, to keep log lines readable. */
const maxTextLength = 8192;
/** How far to read beyond the cut, to recognize a secret that crosses it. */
const lookAhead = 4096;

/** Removes secrets that are recognizable by their shape or by the name in front of them. Linear time. */
export function redactText(text: string): string {
  if (text.length < shortestSecret) return text;
  if (text.length <= maxTextLength) return redactAll(text);
  const kept = redactAll(text.slice(0, maxTextLength + lookAhead)).slice(0, maxTextLength);
  return `${kept}… [${String(text.length)} characters]`;
}

const shortestSecret = 6;
// Every pattern below contains one of these, so most texts need no further check.
const suspicious = /[=:@\s]|eyJ|--|[A-Za-z\d]{2}[-_][\w-]{8}|AKIA|ASIA|AIza|SG\.|ya29\./;

/** Like `redactText`, without cutting the text. */
export function redactAll(text: string): string {
  if (!suspicious.test(text)) return text;
  let safe = text.replace(privateKey, redacted);
  safe = safe.replace(userInfo, `://${redacted}@`).replace(schemeCredentials, `$1 ${redacted}`);
  safe = safe.replace(jsonWebToken, redacted).replace(ownToken, redacted).replace(knownToken, redacted);
  return withoutSpans(safe);
}

// Each pattern starts only at a boundary and reads no character twice, so hostile input is not slower.
const privateKey =
  /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;
const userInfo = /:\/\/[^\s/?#"'`<>]+@/g;
const schemeCredentials = /(?<![\w-])(Bearer|Basic)\s{1,8}[\w.~+/=:-]{4,}/gi;
const jsonWebToken = /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?/g;
// Our own tokens are long enough to be recognized anywhere, even inside a word.
const ownToken = /tgt?_[\w-]{40,}/g;
const knownToken = new RegExp(
  `(?<![A-Za-z\\d])(?:${[
    'tgt?_[\\w-]{16,}',
    'sk-[\\w-]{16,}',
    '[rsp]k_(?:live|test)_\\w{10,}',
    'gh[opsur]_\\w{16,}',
    'github_pat_\\w{16,}',
    'gl(?:pat|ptt|dt|rt|cbt|oas)-[\\w-]{16,}',
    'xox[a-z]-[\\w-]{10,}',
    'xapp-[\\w-]{10,}',
    '(?:AKIA|ASIA)[A-Z\\d]{16}',
    'AIza[\\w-]{30,}',
    'ya29\\.[\\w-]{16,}',
    'npm_\\w{30,}',
    'pypi-[\\w-]{16,}',
    'hf_\\w{20,}',
    'do[opr]_v1_\\w{20,}',
    'SG\\.[\\w-]{16,}\\.[\\w-]{16,}',
    'shp(?:at|ca|pa|ss)_\\w{20,}',
    'tvly-[\\w-]{16,}',
    'lin_api_\\w{16,}',
    'sq0[a-z]{3}-[\\w-]{16,}',
    'key-[a-f\\d]{32}',
  ].join('|')})`,
  'g',
);

function withoutSpans(text: string): string {
  const spans = secretValues(text);
  if (spans.length === 0) return text;
  let safe = '';
  let from = 0;
  for (const { start, end } of spans) {
    // Already redacted: `[redacted]` ends with a character that ends a value.
    if (redacted.startsWith(text.slice(start, end)) && text.startsWith(redacted, start)) continue;
    safe += text.slice(from, start) + redacted;
    from = end;
  }
  return safe + text.slice(from);
}

const maxDepth = 6;
const maxMembers = 200;

/** A value for a log line: no secrets, limited depth and width, no functions. */
function redactValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return '[deep]';
  if (value instanceof Error) return redactText(value.stack ?? value.message);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${String(value.byteLength)} bytes]`;
  const list: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
  return list ? redactList(list, depth) : redactFields(value, depth);
}

/** In a list of arguments, the secret follows its flag. */
function redactList(values: readonly unknown[], depth: number): unknown[] {
  return values.slice(0, maxMembers).map((value, i) => {
    const before = values[i - 1];
    const isAnswer = typeof before === 'string' && before.startsWith('-') && isSecretName(before);
    return isAnswer ? redacted : redactValue(value, depth + 1);
  });
}

/** The fields of an object, with secret ones hidden by name. */
export function redactFields(fields: object, depth = 0): object {
  const safe: Record<string, unknown> = {};
  for (const [name, value] of Object.entries<unknown>({ ...fields }).slice(0, maxMembers)) {
    safe[redactText(name)] = isHidden(name, value) ? redacted : redactValue(value, depth + 1);
  }
  return safe;
}

const deepestRecord = 64;

/** The same for a record that is kept whole: only secrets are removed. */
export function redactRecord(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactAll(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= deepestRecord) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => redactRecord(item, depth + 1));
  const entries = Object.entries(value).map(
    ([name, inner]) => [name, isHidden(name, inner) ? redacted : redactRecord(inner, depth + 1)] as const,
  );
  return Object.fromEntries(entries);
}

/** `hasToken: true` is no secret. */
function isHidden(name: string, value: unknown): boolean {
  return isSecretName(name) && value !== undefined && value !== null && typeof value !== 'boolean';
}

/** Redacts a stream line by line, including a private key that spans several lines. */
export function createLineRedactor(): (line: string) => string {
  let linesLeft = 0;
  return (line) => {
    if (linesLeft > 0) {
      linesLeft = privateKeyEnd.test(line) ? 0 : linesLeft - 1;
      return redacted;
    }
    if (privateKeyStart.test(line) && !privateKeyEnd.test(line)) linesLeft = maxKeyLines;
    return redactText(line);
  };
}

const privateKeyStart = /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY/;
const privateKeyEnd = /-----END [A-Z\d ]{0,40}PRIVATE KEY/;
/** Stop hiding after this many lines of a key that never ends. */
const maxKeyLines = 200;
