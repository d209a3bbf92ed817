import type { Link, Session } from '../../kernel/index.js';
import { hasExpired, standingOf } from '../identity/chain.js';
import type { TokenRecord } from '../ports.js';
import { DeskError } from './desk-error.js';
import type { DeskParts } from './parts.js';
import { quoted, readPrincipal } from './receiver.js';

/** On whose behalf a question is asked. */
export interface Asker {
  readonly principal: string;
  readonly session: Session;
  readonly links: readonly Link[];
  /** Why the credential is good for nothing; absent when it is good, or there is none. */
  readonly isVoid?: string;
}

export interface AskerOptions {
  /** The id of a token: with its ceilings, and with all that it was made from. */
  readonly token?: string;
  /** As with `--profile`. */
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
    throw new DeskError('access.bad_request', 'A token has its profile; name one or the other.');
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
  if (record?.zone !== zone)
    throw new DeskError('access.unknown_token', `There is no token ${quoted(id)} here.`);
  if (record.principal === principal) return record;
  const message = `The token ${id} belongs to ${record.principal}, not to ${principal}.`;
  throw new DeskError('access.unknown_token', message, `ask about ${record.principal}`);
}

/** Whether the credential holds was asked here, just now: the links are judged without it. */
function askerOf(principal: string, own: Link, links: readonly Link[]): Asker {
  const chain = links.map(({ tokenId: _, ...rest }) => rest);
  const session: Session = { id: 'desk', principal: own.principal, scope: 'connection', chain };
  return { principal, session, links };
}
