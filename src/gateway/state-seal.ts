import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { sha256Of } from '../lib/sha256.js';
import { isRecord } from '../lib/is-record.js';
import { type Delegation, principalKey, type Request, wantedName } from '../core/index.js';
import { membersOf, textOf } from '../lib/json-text.js';

/** The content of a `requestState`: a call parked here, or the state of the upstream that asked. */
export type SealedState =
  | { readonly kind: 'parked'; readonly id: string }
  | { readonly kind: 'upstream'; readonly state?: string };

export type Opened =
  | { readonly ok: true; readonly state: SealedState }
  | { readonly ok: false; readonly reason: 'forged' | 'expired' };

/** Creates and verifies `requestState`, bound to principal, credential, delegation chain, target, arguments and time. */
export interface StateSeal {
  close(request: Request, state: SealedState): string;
  open(request: Request, text: string): Opened;
}

const lifetimeMs = 10 * 60_000;

export function createStateSeal(now: () => number, key: Buffer = randomBytes(32)): StateSeal {
  const sign = (body: string): Buffer => createHmac('sha256', key).update(body).digest();
  return {
    close(request, state) {
      const body = Buffer.from(
        JSON.stringify({ ...state, bound: bindingOf(request), until: now() + lifetimeMs }),
      ).toString('base64url');
      return `${body}.${sign(body).toString('base64url')}`;
    },
    open(request, text) {
      const [body = '', mac = '', ...rest] = text.split('.');
      const given = Buffer.from(mac, 'base64url');
      const right = sign(body);
      // Compare the encoded form too: base64url has several spellings of one value.
      const isOurs =
        given.length === right.length && timingSafeEqual(given, right) && mac === right.toString('base64url');
      if (!isOurs || rest.length > 0) return { ok: false, reason: 'forged' };
      return read(body, bindingOf(request), now());
    },
  };
}

function read(body: string, binding: string, now: number): Opened {
  // We signed it, so its shape is known.
  const sealed = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as SealedState & {
    readonly bound: string;
    readonly until: number;
  };
  if (sealed.bound !== binding) return { ok: false, reason: 'forged' };
  if (sealed.until < now) return { ok: false, reason: 'expired' };
  return { ok: true, state: sealed };
}

function bindingOf(request: Request): string {
  const { text } = request.params;
  const subject = [
    principalKey(request.session.principal),
    (request.session.chain ?? []).map(linkOf),
    request.wanted.kind,
    wantedName(request.wanted),
    canonical(textOf(text, membersOf(text), 'arguments') ?? 'null'),
  ];
  return sha256Of(JSON.stringify(subject), 'base64url');
}

/** A child token can share its parent's principal, but must not answer questions put to the parent. */
function linkOf({ principal, rights, profile, tools, tokenId }: Delegation): readonly unknown[] {
  return [principalKey(principal), rights, profile ?? null, tools ?? null, tokenId ?? null];
}

/** Canonical text of a value, independent of spacing and key order. */
function canonical(text: string): string {
  return JSON.stringify(JSON.parse(withExactNumbers(text)), (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

/** Turns numbers into strings, because numbers beyond 2^53 can parse as equal. Strings are marked to keep them apart. */
function withExactNumbers(text: string): string {
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') ? `"s${token.slice(1)}` : `"n${token}"`,
  );
}
