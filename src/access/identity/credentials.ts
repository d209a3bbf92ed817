import type { Caller } from '../../kernel/index.js';
import type { Soon, TokenStore } from '../ports.js';
import { hasExpired, type Standing, standingOf, type VoidReason } from './chain.js';
import { openLastUses } from './last-uses.js';
import { createRecent } from './recent.js';
import { afterwards } from './soon.js';
import { type Moment, openStandings } from './standings.js';
import { hashToken, isSameHash, isTokenSecret, readBearer } from './token-secret.js';

export type RefusalReason = 'no_identity' | 'token_expired' | VoidReason;

/** Who showed a credential; or why it is nobody's, for the operator alone. */
export type Resolved =
  | { readonly kind: 'caller'; readonly caller: Caller }
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly tokenId?: string };

export interface CredentialParts {
  readonly store: TokenStore;
  readonly zone: string;
  readonly now: () => number;
  readonly log?: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** The tokens of a zone, as those who come in show them. */
export interface Credentials {
  /** Under the revision that holds now. Throws or rejects with `StoreError` when the store cannot answer. */
  resolve(authorization: string | undefined): Soon<Resolved>;
  /** Whether a token is good under this revision; without one, under the one that holds now. May throw or reject. */
  check(tokenId: string, revision?: number): Soon<boolean>;
  /**
   * The same from what is known, for whoever cannot wait: by the clock, and by the revision that the store tells at once.
   * Where the store does not, what is known is renewed behind, and `onChange` tells when a token turned out to be void.
   */
  isAlive(tokenId: string): boolean;
  /** Tokens of the zone may have become void: ask again. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

const maxGood = 10_000;
/** Apart from the good ones: whoever tries tokens cannot drive those out. */
const maxVoid = 1000;

export function openCredentials({ store, zone, now, log }: CredentialParts): Credentials {
  const good = createRecent<string, Standing>(maxGood);
  const bad = createRecent<string, Standing>(maxVoid);
  const standings = openStandings({ store, zone, now });
  const uses = openLastUses({
    store,
    now,
    onFailure: (error) => log?.('the last use of tokens was not kept', { error: codeOf(error) }),
  });
  let current: number | undefined;

  /** What was found under another revision is not known any more. */
  function turnTo(revision: number): void {
    if (revision === current) return;
    current = revision;
    good.clear();
    bad.clear();
  }

  function keep(hash: string, moment: Moment, standing: Standing): Standing {
    // While the store was asked, the zone may have moved on.
    if (moment.revision === current) (standing.kind === 'good' ? good : bad).set(hash, standing);
    if (standing.tokenId !== undefined) standings.remember(standing.tokenId, moment, standing);
    return standing;
  }

  function find(hash: string, moment: Moment): Soon<Standing> {
    turnTo(moment.revision);
    const known = good.get(hash) ?? bad.get(hash);
    if (known !== undefined) return known;
    const found = afterwards(store.findToken(hash), (record) =>
      record !== undefined && isSameHash(record.hash, hash) ? standingOf(store, zone, record) : unknown,
    );
    return afterwards(found, (standing) => keep(hash, moment, standing));
  }

  function shown(standing: Standing): Resolved {
    const resolved = judge(standing, now());
    if (resolved.kind === 'caller' && standing.tokenId !== undefined) uses.note(standing.tokenId);
    return resolved;
  }

  return {
    resolve(authorization) {
      const secret = readBearer(authorization);
      if (secret === undefined) return authorization?.trim() ? malformed : noIdentity;
      if (!isTokenSecret(secret)) return malformed;
      const hash = hashToken(secret);
      const standing = standings.atThisMoment((moment) => find(hash, moment));
      return afterwards(standing, shown);
    },
    check: (tokenId, revision) => standings.check(tokenId, revision),
    isAlive: (tokenId) => standings.isAlive(tokenId),
    onChange: (listener) => standings.onChange(listener),
    async close() {
      standings.close();
      await uses.close();
    },
  };
}

const noIdentity: Resolved = Object.freeze({ kind: 'refused', reason: 'no_identity' });
const malformed: Resolved = Object.freeze({ kind: 'refused', reason: 'token_malformed' });
const unknown: Standing = Object.freeze({ kind: 'void', reason: 'token_unknown' });

/** What a standing comes to at this time. */
function judge(standing: Standing, now: number): Resolved {
  const { tokenId } = standing;
  const which = tokenId === undefined ? {} : { tokenId };
  if (standing.kind === 'void') return { kind: 'refused', reason: standing.reason, ...which };
  const expired = hasExpired(standing, now);
  if (expired === undefined) return { kind: 'caller', caller: standing.caller };
  return { kind: 'refused', reason: expired === 'itself' ? 'token_expired' : 'parent_void', ...which };
}

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'unknown';
}
