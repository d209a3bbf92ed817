import type { Caller, Delegation, Principal } from '../../core/index.js';
import { formatPrincipal, parsePrincipal } from '../object-ids.js';
import type { Soon, TokenRecord, TokenStore } from '../ports/index.js';
import { IdentityError } from './identity-error.js';
import { whenReady } from './soon.js';

/** Maximum links of a delegation chain. A longer one is a mistake or a loop. */
export const maxDelegations = 8;

export type VoidReason = 'token_malformed' | 'token_unknown' | 'token_revoked' | 'parent_void';

/** The state of a token apart from its expiry: the caller it identifies, and until when. */
export type TokenStatus =
  | {
      readonly kind: 'good';
      readonly caller: Caller;
      readonly tokenId: string;
      readonly expiresAt: number;
      /** The state of its parent, which is also valid apart from its expiry. */
      readonly parent?: GoodStatus;
    }
  | { readonly kind: 'void'; readonly reason: VoidReason; readonly tokenId?: string };

type GoodStatus = Extract<TokenStatus, { kind: 'good' }>;
type Parents = Pick<TokenStore, 'token'>;

/** Follows a token to its root. A void, foreign or missing parent voids all tokens below it. */
export function statusOf(store: Parents, zone: string, record: TokenRecord): Soon<TokenStatus> {
  if (record.zone !== zone) return { kind: 'void', reason: 'token_unknown' };
  const { id: tokenId } = record;
  if (record.revokedAt !== undefined) return { kind: 'void', reason: 'token_revoked', tokenId };
  if (parsePrincipal(record.principal) === undefined) {
    return { kind: 'void', reason: 'token_malformed', tokenId };
  }
  return whenReady(climb(store, zone, [record]), (records) =>
    records === undefined ? { kind: 'void', reason: 'parent_void', tokenId } : goodStatus(records),
  );
}

/** The records from the root token to this one; undefined if one of them is invalid. */
function climb(
  store: Parents,
  zone: string,
  records: readonly [TokenRecord, ...TokenRecord[]],
): Soon<readonly TokenRecord[] | undefined> {
  const [{ parent }] = records;
  if (parent === undefined) return records;
  if (records.length >= maxDelegations) return undefined;
  return whenReady(store.token(parent), (found) =>
    found !== undefined && isSound(found, zone) ? climb(store, zone, [found, ...records]) : undefined,
  );
}

function isSound({ zone, revokedAt, principal }: TokenRecord, wanted: string): boolean {
  return zone === wanted && revokedAt === undefined && parsePrincipal(principal) !== undefined;
}

function goodStatus(records: readonly TokenRecord[]): TokenStatus {
  let status: GoodStatus | undefined;
  for (const record of records) status = childStatus(record, status);
  if (status === undefined) throw new Error('a chain has at least one link');
  return status;
}

function childStatus(record: TokenRecord, parent: GoodStatus | undefined): GoodStatus {
  const delegation = linkOf(record, parent === undefined ? 'own' : 'inherited');
  const chain = Object.freeze([...(parent?.caller.chain ?? []), delegation]);
  const { id: tokenId, expiresAt = Number.POSITIVE_INFINITY } = record;
  // A child cannot leave the workspace of its parent.
  const workspace = parent?.caller.workspace ?? record.workspace;
  const caller: Caller = Object.freeze({
    principal: delegation.principal,
    chain,
    credential: `token:${tokenId}`,
    ...(workspace !== undefined && { workspace }),
  });
  return { kind: 'good', caller, tokenId, expiresAt, ...(parent && { parent }) };
}

/** Whether a token or one of its parents has expired. */
export function hasExpired({ expiresAt, parent }: GoodStatus, now: number): 'itself' | 'parent' | undefined {
  if (expiresAt <= now) return 'itself';
  return parent !== undefined && hasExpired(parent, now) !== undefined ? 'parent' : undefined;
}

function linkOf(
  { id, zone, principal, profile, tools, inheritsActive }: TokenRecord,
  rights: Delegation['rights'],
): Delegation {
  const name = parsePrincipal(principal);
  if (name === undefined) throw new Error('a record with an invalid principal cannot become a link');
  return Object.freeze({
    principal: Object.freeze({ ...name, zone }),
    rights,
    ...(profile !== undefined && { profile }),
    ...(tools !== undefined && { tools: Object.freeze([...tools]) }),
    tokenId: id,
    ...(inheritsActive === false && { inheritsActive }),
  });
}

/** What a caller delegates. Default: the same principal without further limits. */
export interface ChildOptions {
  readonly principal?: Principal;
  readonly profile?: string;
  readonly tools?: readonly string[];
  readonly tokenId?: string;
}

/** A caller with one more link: limited by every previous link and by the given options. */
export function attenuate(parent: Caller, options: ChildOptions): Caller {
  const { principal = parent.principal, profile, tools, tokenId } = options;
  if (principal.zone !== parent.principal.zone) {
    throw new IdentityError('token.foreign_zone', 'A child token must be in the zone of its parent.');
  }
  refuseTooDeep(parent.chain.length);
  const delegation: Delegation = Object.freeze({
    principal,
    rights: 'inherited',
    ...(profile !== undefined && { profile }),
    ...(tools !== undefined && { tools: Object.freeze([...tools]) }),
    ...(tokenId !== undefined && { tokenId }),
  });
  const own = tokenId === undefined ? undefined : `token:${tokenId}`;
  // Names may contain slashes; encode them so that different chains never look alike.
  const credential = own ?? `${parent.credential}/${encodeURIComponent(formatPrincipal(principal))}`;
  const chain = Object.freeze([...parent.chain, delegation]);
  const { workspace } = parent;
  return Object.freeze({ principal, chain, credential, ...(workspace !== undefined && { workspace }) });
}

export function refuseTooDeep(links: number): void {
  if (links < maxDelegations) return;
  const message = `This chain already has the maximum of ${String(maxDelegations)} links.`;
  throw new IdentityError('token.too_deep', message);
}
