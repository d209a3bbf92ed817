import type { Delegation, Session } from '../../core/index.js';
import { hasExpired, statusOf } from '../tokens/chain.js';
import type { TokenRecord } from '../ports/index.js';
import { AdminError } from './admin-error.js';
import type { AdminParts } from './parts.js';
import { quoted, readPrincipal } from './receiver.js';

/** The principal that a question is about. */
export interface Requester {
  readonly principal: string;
  readonly session: Session;
  readonly links: readonly Delegation[];
  /** Why the credential is invalid; absent if it is valid or there is none. */
  readonly isVoid?: string;
}

export interface RequesterOptions {
  /** Id of a token, evaluated with its limits and its parents. */
  readonly token?: string;
  /** Limit to this profile, as with `--profile`. */
  readonly profile?: string;
}

export async function readRequester(
  parts: AdminParts,
  principal: string,
  { token, profile }: RequesterOptions,
): Promise<Requester> {
  const { delegation } = readPrincipal(principal, parts);
  const own = { ...delegation, ...(profile !== undefined && { profile }) };
  if (token === undefined) return requesterOf(principal, own, [own]);
  if (profile !== undefined)
    throw new AdminError(
      'access.bad_request',
      'Pass either a token or a profile, not both: a token has its own profile.',
    );
  const record = await findToken(parts, principal, token);
  const status = await statusOf(parts.store, parts.zone, record);
  if (status.kind === 'void') return { ...requesterOf(principal, delegation, []), isVoid: status.reason };
  const requester = requesterOf(principal, delegation, status.caller.chain);
  const expired = hasExpired(status, parts.now());
  if (expired === undefined) return requester;
  return { ...requester, isVoid: expired === 'itself' ? 'token_expired' : 'parent_void' };
}

async function findToken({ store, zone }: AdminParts, principal: string, id: string): Promise<TokenRecord> {
  const record = await store.token(id);
  if (record?.zone !== zone) throw new AdminError('access.unknown_token', `Unknown token: ${quoted(id)}.`);
  if (record.principal === principal) return record;
  const message = `Token ${id} belongs to ${record.principal}, not to ${principal}.`;
  throw new AdminError('access.unknown_token', message, `ask about ${record.principal}`);
}

/** The credential was just checked here, so the links are evaluated without it. */
function requesterOf(principal: string, own: Delegation, links: readonly Delegation[]): Requester {
  const chain = links.map(({ tokenId: _, ...rest }) => rest);
  const session: Session = { id: 'admin', principal: own.principal, scope: 'connection', chain };
  return { principal, session, links };
}
