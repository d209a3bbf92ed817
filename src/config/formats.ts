import { isIP, isIPv4 } from 'node:net';
import type { NameRule, TextFormat } from './field.js';

/** What is wrong with a text, as the end of the sentence "<path> …", and how to correct it. */
export interface Flaw {
  readonly says: string;
  readonly remedy?: string;
}

const unlimited = () => undefined;

const formats: Readonly<Record<TextFormat, (text: string) => Flaw | undefined>> = {
  any: unlimited,
  path: notEmpty,
  command: notEmpty,
  url: checkUrl,
  database: checkDatabase,
  host: checkHost,
  name: checkName,
  prefix: checkPrefix,
  pattern: (text) => (/^!*$/.test(text) ? { says: 'names no tool' } : undefined),
  header: (text) =>
    /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
      ? undefined
      : { says: 'has characters that a header cannot carry' },
};

/** Checks a text after its references were replaced. Never repeats the text: it may hold a secret. */
export function flawOf(format: TextFormat, text: string): Flaw | undefined {
  return text.includes('\0') ? { says: 'contains a NUL character' } : formats[format](text);
}

// The lookahead keeps out names that mean something else as a path segment or as a JavaScript property.
const plainName = '^(?!\\.{1,2}$|__proto__$)[A-Za-z0-9_.-]{1,64}$';
const plainNameRemedy = 'Use letters, digits, `_`, `.` and `-`, at most 64 of them.';

/** The rules for names that the writer of the file chooses, with their spelling in JSON Schema. */
export const nameRules: Readonly<Record<NameRule, { readonly pattern: string; readonly remedy: string }>> = {
  server: { pattern: plainName, remedy: plainNameRemedy },
  variable: { pattern: '^[^=\\u0000]+$', remedy: 'Use a name without `=`.' },
  header: {
    pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
    remedy: 'Use letters, digits and `-`.',
  },
  profile: { pattern: plainName, remedy: plainNameRemedy },
  client: {
    pattern: '^[^\\u0000-\\u001f]{1,128}$',
    remedy: 'Use the name that the client gives itself, such as claude-code.',
  },
  tool: {
    pattern: '^[^\\u0000-\\u0020]{1,256}$',
    remedy: 'Use the name that agents see, such as github_create_issue.',
  },
  principal: {
    pattern: '^(user|agent|service):[A-Za-z0-9._@/-]{1,128}$',
    remedy: 'Write it like agent:alice, user:ana or service:ci.',
  },
};

/** Whether only this machine can reach the host. Unknown names are not believed. */
export function isLoopbackHost(host: string): boolean {
  const bare = bareHost(host).toLowerCase();
  if (bare === 'localhost' || bare === '::1') return true;
  const mapped = bare.startsWith('::ffff:') ? bare.slice('::ffff:'.length) : bare;
  return isIPv4(mapped) && mapped.startsWith('127.');
}

/** `[::1]` as a socket wants it: `::1`. */
export function bareHost(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

function notEmpty(text: string): Flaw | undefined {
  return text.trim() === '' ? { says: 'is empty' } : undefined;
}

function checkUrl(text: string): Flaw | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return { says: 'is not an http or https address', remedy: 'Write it like https://example.com/mcp.' };
  }
  if (url.username === '' && url.password === '') return undefined;
  return {
    says: 'has a user name or password in it',
    remedy: 'Send an Authorization header with `headers` instead.',
  };
}

// What an address of a database holds is often a password, and the way to leave it out is a reference.
function checkDatabase(text: string): Flaw | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^postgres(ql)?:$/.test(url.protocol)) return undefined;
  return { says: 'is not the address of a database', remedy: 'Write it like postgres://host:5432/tidegate.' };
}

function checkName(text: string): Flaw | undefined {
  return new RegExp(plainName).test(text)
    ? undefined
    : { says: 'has characters that a name cannot have', remedy: plainNameRemedy };
}

function checkHost(text: string): Flaw | undefined {
  const isName = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(text) && !/^[0-9.]+$/.test(text);
  if (isName || isIP(bareHost(text)) !== 0) return undefined;
  return {
    says: 'is not a host name or IP address',
    remedy: 'Write it without scheme and port, like 127.0.0.1.',
  };
}

function checkPrefix(text: string): Flaw | undefined {
  if (/^[A-Za-z0-9_.-]{0,64}$/.test(text)) return undefined;
  return {
    says: 'has characters that tool names cannot have',
    remedy: 'Use letters, digits, `_`, `.` and `-`.',
  };
}
