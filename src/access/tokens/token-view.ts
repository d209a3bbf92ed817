import type { TokenRecord, TokenStore } from '../ports/index.js';
import { hasExpired, statusOf } from './chain.js';

export type TokenState = 'active' | 'expired' | 'revoked' | 'parent_void' | 'unreadable';

/** A token as operators see it: everything but the hash, and its current state. */
export interface TokenView extends Omit<TokenRecord, 'hash'> {
  readonly state: TokenState;
}

export async function viewToken(
  store: Pick<TokenStore, 'token'>,
  record: TokenRecord,
  now: number,
): Promise<TokenView> {
  const { hash: _, ...shown } = record;
  return { ...shown, state: await stateOf(store, record, now) };
}

/** All tokens of a zone, in order. Parents are looked up among them. */
export function viewTokens(records: readonly TokenRecord[], now: number): Promise<readonly TokenView[]> {
  const byId = new Map(records.map((record) => [record.id, record]));
  const parents = { token: (id: string) => byId.get(id) };
  return Promise.all(records.map((record) => viewToken(parents, record, now)));
}

async function stateOf(
  store: Pick<TokenStore, 'token'>,
  record: TokenRecord,
  now: number,
): Promise<TokenState> {
  const status = await statusOf(store, record.zone, record);
  if (status.kind === 'good') {
    const expired = hasExpired(status, now);
    return expired === undefined ? 'active' : expired === 'itself' ? 'expired' : 'parent_void';
  }
  if (status.reason === 'token_revoked') return 'revoked';
  return status.reason === 'parent_void' ? 'parent_void' : 'unreadable';
}
