import { isIP, isIPv4 } from 'node:net';
import type { Flaw, FormatCheck, NameRule } from '../lib/schema-table/context.js';
import type { NameWord, TextFormat } from './field.js';

const unlimited = () => undefined;

const formats: Readonly<Record<TextFormat, FormatCheck>> = {
  any: unlimited,
  path: notEmpty,
  command: notEmpty,
  url: checkUrl,
  database: checkDatabase,
  host: checkHost,
  name: checkName,
  prefix: checkPrefix,
  pattern: (text) => (/^!*$/.test(text) ? { says: 'does not name a tool' } : undefined),
  header: (text) =>
    /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
      ? undefined
      : { says: 'has characters that are not allowed in an HTTP header' },
};

/** Checks a text after its references are replaced. Never repeats the text, because it may hold a secret. */
export function flawOf(format: TextFormat, text: string): Flaw | undefined {
  return text.includes('\0') ? { says: 'contains a NUL character' } : formats[format](text);
}

/** The same checks, by format. */
export const formatChecks: Readonly<Record<string, FormatCheck>> = Object.fromEntries(
  (Object.keys(formats) as readonly TextFormat[]).map((format) => [format, (text) => flawOf(format, text)]),
);

// The lookahead rejects names with a special meaning as a path segment or JavaScript property.
const plainName = '^(?!\\.{1,2}$|__proto__$)[A-Za-z0-9_.-]{1,64}$';
const plainNameRemedy = 'Use up to 64 letters, digits, `_`, `.` and `-`.';

/** The rules for names that the author of the file chooses, as JSON Schema patterns. */
export const nameRules: Readonly<Record<NameWord, NameRule>> = {
  server: { pattern: plainName, remedy: plainNameRemedy },
  variable: { pattern: '^[^=\\u0000]+$', remedy: 'Use a name without `=`.' },
  header: {
    pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
    remedy: 'Use letters, digits and `-`.',
  },
  profile: { pattern: plainName, remedy: plainNameRemedy },
  workflow: {
    pattern: '^(?!__proto__$)[^\\u0000-\\u001f/]{1,200}$',
    remedy: 'Use the name that list_workflows shows.',
  },
  client: {
    pattern: '^[^\\u0000-\\u001f]{1,128}$',
    remedy: 'Use the name that the client reports, such as claude-code.',
  },
  tool: {
    pattern: '^[^\\u0000-\\u0020]{1,256}$',
    remedy: 'Use the tool name that agents see, such as github_create_issue.',
  },
  principal: {
    pattern: '^(user|agent|service):[A-Za-z0-9._@/-]{1,128}$',
    remedy: 'Use a principal such as agent:alice, user:ana or service:ci.',
  },
};

/** Whether only this machine can reach the host. Unknown names count as reachable by others. */
export function isLoopbackHost(host: string): boolean {
  const bare = bareHost(host).toLowerCase();
  if (bare === 'localhost' || bare === '::1') return true;
  const mapped = bare.startsWith('::ffff:') ? bare.slice('::ffff:'.length) : bare;
  return isIPv4(mapped) && mapped.startsWith('127.');
}

/** Removes the brackets of an IPv6 address: `[::1]` becomes `::1`. */
export function bareHost(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

function notEmpty(text: string): Flaw | undefined {
  return text.trim() === '' ? { says: 'is empty' } : undefined;
}

function checkUrl(text: string): Flaw | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return { says: 'is not an http or https URL', remedy: 'Use a URL such as https://example.com/mcp.' };
  }
  if (url.username === '' && url.password === '') return undefined;
  return {
    says: 'contains a user name or password',
    remedy: 'Set an Authorization header under `headers` instead.',
  };
}

// A database URL often holds a password. A reference keeps it out of the file.
function checkDatabase(text: string): Flaw | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^postgres(ql)?:$/.test(url.protocol)) return undefined;
  return { says: 'is not a PostgreSQL URL', remedy: 'Use a URL such as postgres://host:5432/tidegate.' };
}

function checkName(text: string): Flaw | undefined {
  return new RegExp(plainName).test(text)
    ? undefined
    : { says: 'has characters that are not allowed in a name', remedy: plainNameRemedy };
}

function checkHost(text: string): Flaw | undefined {
  const isName = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(text) && !/^[0-9.]+$/.test(text);
  if (isName || isIP(bareHost(text)) !== 0) return undefined;
  return {
    says: 'is not a host name or IP address',
    remedy: 'Omit the scheme and port, as in 127.0.0.1.',
  };
}

function checkPrefix(text: string): Flaw | undefined {
  if (/^[A-Za-z0-9_.-]{0,64}$/.test(text)) return undefined;
  return {
    says: 'has characters that are not allowed in tool names',
    remedy: 'Use letters, digits, `_`, `.` and `-`.',
  };
}
