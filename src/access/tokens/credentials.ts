import type { Caller } from '../../core/index.js';
import type { Soon, TokenStore, ZoneHead } from '../ports/index.js';
import { hasExpired, type TokenStatus, statusOf, type VoidReason } from './chain.js';
import { openLastUses } from './last-uses.js';
import { createRecent } from './recent.js';
import { whenReady } from './soon.js';
import { type Moment, openTokenStatuses } from './token-statuses.js';
import { hashToken, isSameHash, isTokenSecret, readBearer } from './token-secret.js';

export type RefusalReason = 'no_identity' | 'token_expired' | VoidReason;

/** The caller behind a credential; or why it was refused, which only the operator may see. */
export type Resolved =
  | { readonly kind: 'caller'; readonly caller: Caller }
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly tokenId?: string };

export interface CredentialParts {
  readonly store: TokenStore;
  readonly zone: string;
  readonly now: () => number;
  /** Measures durations. Default: a monotonic clock. */
  readonly elapsed?: () => number;
  readonly log?: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** Authenticates callers by the tokens of a zone. */
export interface Credentials {
  /** At the current revision of the store. Throws or rejects with `StoreError` if the store fails. */
  resolve(authorization: string | undefined): Soon<Resolved>;
  /** Whether a token is valid at this revision of the store, by default the current one. May throw or reject. */
  check(tokenId: string, head?: ZoneHead): Soon<boolean>;
  /**
   * The same from cached data, for callers that cannot wait: by the clock, and by the revision if the store provides it
   * synchronously. Otherwise the cache is refreshed in the background, and `onChange` reports tokens that became void.
   */
  isAlive(tokenId: string): boolean;
  /** Called when tokens of the zone may have become void. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

const maxGood = 10_000;
/** A separate cache, so that guessing tokens cannot evict valid ones. */
const maxVoid = 1000;

export function openCredentials({ store, zone, now, elapsed, log }: CredentialParts): Credentials {
  const good = createRecent<string, TokenStatus>(maxGood);
  const bad = createRecent<string, TokenStatus>(maxVoid);
  const statuses = openTokenStatuses({ store, zone, now, ...(elapsed && { elapsed }) });
  const uses = openLastUses({
    store,
    now,
    elapsed: elapsed ?? (() => performance.now()),
    onFailure: (error) => log?.('the last use of tokens was not saved', { error: codeOf(error) }),
  });
  let current: string | undefined;

  /** Drops results of another revision. */
  function turnTo({ history }: ZoneHead): void {
    if (history === current) return;
    current = history;
    good.clear();
    bad.clear();
  }

  function keep(hash: string, moment: Moment, status: TokenStatus): TokenStatus {
    // The zone may have changed during the read.
    if (moment.head.history === current) (status.kind === 'good' ? good : bad).set(hash, status);
    if (status.tokenId !== undefined) statuses.remember(status.tokenId, moment, status);
    return status;
  }

  function find(hash: string, moment: Moment): Soon<TokenStatus> {
    turnTo(moment.head);
    const known = good.get(hash) ?? bad.get(hash);
    if (known !== undefined) return known;
    const found = whenReady(store.findToken(hash), (record) =>
      record !== undefined && isSameHash(record.hash, hash) ? statusOf(store, zone, record) : unknown,
    );
    return whenReady(found, (status) => keep(hash, moment, status));
  }

  function resolvedWithUse(status: TokenStatus): Resolved {
    const resolved = resolvedOf(status, now());
    if (resolved.kind === 'caller' && status.tokenId !== undefined) uses.note(status.tokenId);
    return resolved;
  }

  return {
    resolve(authorization) {
      const secret = readBearer(authorization);
      if (secret === undefined) return authorization?.trim() ? malformed : noIdentity;
      if (!isTokenSecret(secret)) return malformed;
      const hash = hashToken(secret);
      const status = statuses.atThisMoment((moment) => find(hash, moment));
      return whenReady(status, resolvedWithUse);
    },
    check: (tokenId, head) => statuses.check(tokenId, head),
    isAlive: (tokenId) => statuses.isAlive(tokenId),
    onChange: (listener) => statuses.onChange(listener),
    async close() {
      statuses.close();
      await uses.close();
    },
  };
}

const noIdentity: Resolved = Object.freeze({ kind: 'refused', reason: 'no_identity' });
const malformed: Resolved = Object.freeze({ kind: 'refused', reason: 'token_malformed' });
const unknown: TokenStatus = Object.freeze({ kind: 'void', reason: 'token_unknown' });

/** The result for a state at this time. */
function resolvedOf(status: TokenStatus, now: number): Resolved {
  const { tokenId } = status;
  const which = tokenId === undefined ? {} : { tokenId };
  if (status.kind === 'void') return { kind: 'refused', reason: status.reason, ...which };
  const expired = hasExpired(status, now);
  if (expired === undefined) return { kind: 'caller', caller: status.caller };
  return { kind: 'refused', reason: expired === 'itself' ? 'token_expired' : 'parent_void', ...which };
}

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'unknown';
}
