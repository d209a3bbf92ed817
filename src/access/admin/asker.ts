import type { Link, Session } from '../../core/index.js';
import { hasExpired, standingOf } from '../tokens/chain.js';
import type { TokenRecord } from '../ports/index.js';
import { DeskError } from './admin-error.js';
import type { DeskParts } from './parts.js';
import { quoted, readPrincipal } from './receiver.js';

/** The principal that a question is about. */
export interface Asker {
  readonly principal: string;
  readonly session: Session;
  readonly links: readonly Link[];
  /** Why the credential is invalid; absent if it is valid or there is none. */
  readonly isVoid?: string;
}

export interface AskerOptions {
  /** Id of a token, evaluated with its limits and its parents. */
  readonly token?: string;
  /** Limit to this profile, as with `--profile`. */
  readonly profile?: string;
}

export async function readAsker(
  parts: DeskParts,
  principal: string,
  { token, profile }: AskerOptions,
): Promise<Asker> {
  const { link } = readPrincipal(principal, parts);
  const own = { ...link, ...(profile !== undefined && { profile }) };
  if (token === undefined) return askerOf(principal, own, [own]);
  if (profile !== undefined)
    throw new DeskError(
      'access.bad_request',
      'Pass either a token or a profile, not both: a token has its own profile.',
    );
  const record = await findToken(parts, principal, token);
  const standing = await standingOf(parts.store, parts.zone, record);
  if (standing.kind === 'void') return { ...askerOf(principal, link, []), isVoid: standing.reason };
  const asker = askerOf(principal, link, standing.caller.chain);
  const expired = hasExpired(standing, parts.now());
  if (expired === undefined) return asker;
  return { ...asker, isVoid: expired === 'itself' ? 'token_expired' : 'parent_void' };
}

async function findToken({ store, zone }: DeskParts, principal: string, id: string): Promise<TokenRecord> {
  const record = await store.token(id);
  if (record?.zone !== zone) throw new DeskError('access.unknown_token', `Unknown token: ${quoted(id)}.`);
  if (record.principal === principal) return record;
  const message = `Token ${id} belongs to ${record.principal}, not to ${principal}.`;
  throw new DeskError('access.unknown_token', message, `ask about ${record.principal}`);
}

/** The credential was just checked here, so the links are evaluated without it. */
function askerOf(principal: string, own: Link, links: readonly Link[]): Asker {
  const chain = links.map(({ tokenId: _, ...rest }) => rest);
  const session: Session = { id: 'desk', principal: own.principal, scope: 'connection', chain };
  return { principal, session, links };
}
