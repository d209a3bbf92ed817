import type { AuditAction } from '../audit-actions.js';
import type { AuditRecord, TokenRecord, TokenStore } from '../ports/index.js';
import { maxDelegations, refuseTooDeep, statusOf } from './chain.js';
import { writeChecked } from './checked-write.js';
import { IdentityError } from './identity-error.js';
import { hashToken, isSameHash, isTokenId, isTokenSecret, mintToken } from './token-secret.js';
import { type TokenView, viewToken, viewTokens } from './token-view.js';
import { type ChildTokenOptions, readOptions, type TokenOptions } from './token-options.js';

/** The acting principal, for the audit log. */
export type Actor = Pick<AuditRecord, 'principal' | 'chain' | 'tokenId' | 'requestId' | 'traceId'>;

export interface TokenAdminParts {
  readonly store: TokenStore;
  readonly zone: string;
  readonly now: () => number;
  readonly by: Actor;
  /** Checked at the revision that a token is written to; absent for the operator. */
  readonly isStillAllowed?: () => boolean | Promise<boolean>;
  /** Names of the existing profiles. Default: any name is accepted. */
  readonly profiles?: readonly string[];
}

/** A new token with its secret, which is shown only once. */
export interface MadeToken {
  readonly token: TokenView;
  readonly secret: string;
  readonly revision: number;
  /** Set if it expires earlier than requested because its parent does. */
  readonly endsWith?: { readonly parent: string; readonly requested?: number };
}

export interface RotatedToken extends MadeToken {
  /** The token that was replaced. */
  readonly replaced: string;
  /** How many derived tokens became void with it. */
  readonly children: number;
}

export interface RevokedToken {
  readonly token: TokenView;
  /** Absent if it was already revoked. */
  readonly revision?: number;
  readonly children: number;
}

/** Token operations, used by the commands and the admin API. Throws `IdentityError`. */
export interface TokenAdmin {
  create(options: TokenOptions): Promise<MadeToken>;
  list(): Promise<readonly TokenView[]>;
  show(id: string): Promise<TokenView>;
  /** Creates a token with the same rights and a new secret. The old token and its children become void. */
  rotate(id: string): Promise<RotatedToken>;
  revoke(id: string): Promise<RevokedToken>;
  /** Derives a token with at most the rights and lifetime of its parent, given by secret or id. */
  attenuate(parent: string, options: ChildTokenOptions): Promise<MadeToken>;
}

type Rights = Pick<
  TokenRecord,
  'principal' | 'profile' | 'tools' | 'workspace' | 'label' | 'parent' | 'inheritsActive' | 'expiresAt'
>;

export function createTokenAdmin(parts: TokenAdminParts): TokenAdmin {
  const { store, zone, now } = parts;
  return {
    async create(options) {
      const { record: _, ...made } = await add(parts, 'token.create', readOptions(options, context(parts)));
      return made;
    },
    list: async () => viewTokens(await store.tokens(zone), now()),
    show: async (id) => viewToken(store, await find(parts, id), now()),
    rotate: (id) => rotate(parts, id),
    async revoke(id) {
      const record = await find(parts, id);
      const children = await childrenOf(parts, id);
      const kept = auditRecord(parts, 'token.revoke', record);
      const revision = await writeChecked(parts, (expected) =>
        store.revokeToken(zone, id, now(), kept, expected),
      );
      const token = await viewToken(store, await find(parts, id), now());
      return { token, children, ...(revision !== undefined && { revision }) };
    },
    attenuate: (parent, options) => attenuate(parts, parent, options),
  };
}

async function rotate(parts: TokenAdminParts, id: string): Promise<RotatedToken> {
  const { store, zone, now } = parts;
  const old = await find(parts, id);
  await refuseVoid(parts, old);
  const children = await childrenOf(parts, id);
  const { record, ...made } = await add(parts, 'token.rotate', rightsOf(old), { more: { replaces: id } });
  try {
    const kept = auditRecord(parts, 'token.rotate', old, { more: { replacedBy: record.id } });
    const revision = await store.revokeToken(zone, id, now(), kept);
    // If it was revoked in the meantime, no second token may replace it.
    if (revision === undefined) await refuseVoid(parts, await find(parts, id));
    return { ...made, revision: revision ?? made.revision, replaced: id, children };
  } catch (error) {
    // The new secret was never returned, so revoke the token. If this fails too, the token is unusable anyway.
    await store
      .revokeToken(zone, record.id, now(), auditRecord(parts, 'token.revoke', record))
      .catch(() => {});
    throw error;
  }
}

async function attenuate(
  parts: TokenAdminParts,
  given: string,
  options: ChildTokenOptions,
): Promise<MadeToken> {
  const parent = await findParent(parts, given);
  await refuseVoid(parts, parent);
  await refuseBadChild(parts, parent, options);
  const fields = readOptions({ principal: parent.principal, ...options }, context(parts));
  const expiresAt = earlier(fields.expiresAt, parent.expiresAt);
  const rights = {
    ...fields,
    parent: parent.id,
    inheritsActive: options.inheritsActive ?? true,
    ...(expiresAt !== undefined && { expiresAt }),
  };
  const by = isTokenSecret(given) ? holderOf(parent) : parts.by;
  const { record: _, ...made } = await add(parts, 'token.attenuate', rights, { by });
  const requested = fields.expiresAt;
  if (expiresAt === undefined || expiresAt === requested) return made;
  return { ...made, endsWith: { parent: parent.id, ...(requested !== undefined && { requested }) } };
}

interface AuditOptions {
  readonly by?: Actor;
  /** Further details of the audit record. */
  readonly more?: Readonly<Record<string, unknown>>;
}

async function add(
  parts: TokenAdminParts,
  action: AuditAction,
  rights: Rights,
  { by = parts.by, more = {} }: AuditOptions = {},
): Promise<MadeToken & { readonly record: TokenRecord }> {
  const { store, zone, now } = parts;
  const { secret, hash, id } = mintToken();
  const record = { ...rights, id, hash, zone, createdBy: by.principal, createdAt: now() };
  const kept = auditRecord(parts, action, record, { by, more: { ...ceilings(record), ...more } });
  const revision = await writeChecked(parts, (expected) => store.addToken(record, kept, expected));
  return { token: await viewToken(store, record, now()), secret, revision, record };
}

function auditRecord(
  parts: TokenAdminParts,
  action: AuditAction,
  { id, principal, parent }: TokenRecord,
  { by = parts.by, more = {} }: AuditOptions = {},
): AuditRecord {
  const detail = { principal, ...(parent !== undefined && { parent }), ...more };
  return { ...by, at: parts.now(), zone: parts.zone, action, decision: 'allow', target: id, detail };
}

async function find({ store, zone }: TokenAdminParts, id: string): Promise<TokenRecord> {
  const record = isTokenId(id) ? await store.token(id) : undefined;
  if (record?.zone === zone) return record;
  throw new IdentityError(
    'token.not_found',
    isTokenId(id) ? `Unknown token: ${id}.` : 'No token has this id.',
  );
}

async function findParent(parts: TokenAdminParts, text: string): Promise<TokenRecord> {
  if (!isTokenSecret(text)) return find(parts, text);
  const hash = hashToken(text);
  const record = await parts.store.findToken(hash);
  if (record?.zone === parts.zone && isSameHash(record.hash, hash)) return record;
  throw new IdentityError('token.not_found', 'Unknown token.');
}

async function childrenOf({ store, zone }: TokenAdminParts, id: string): Promise<number> {
  const all = await store.tokens(zone);
  return all.filter(({ parent, revokedAt }) => parent === id && revokedAt === undefined).length;
}

async function refuseVoid({ store, now }: TokenAdminParts, record: TokenRecord): Promise<void> {
  const { state } = await viewToken(store, record, now());
  if (state === 'active') return;
  const code = state === 'revoked' || state === 'expired' ? (`token.${state}` as const) : 'token.parent_void';
  throw new IdentityError(code, `Token ${record.id} is no longer valid: ${stateTexts[state]}.`);
}

/** A child adds one link to the chain and cannot leave the workspace of its parent. */
async function refuseBadChild(
  { store, zone }: TokenAdminParts,
  parent: TokenRecord,
  { workspace }: ChildTokenOptions,
): Promise<void> {
  const status = await statusOf(store, zone, parent);
  const caller = status.kind === 'good' ? status.caller : undefined;
  refuseTooDeep(caller?.chain.length ?? maxDelegations);
  const own = caller?.workspace;
  if (workspace === undefined || own === undefined || workspace === own) return;
  const message = `The parent token ${parent.id} is only valid for the workspace ${own}.`;
  throw new IdentityError('token.bad_workspace', message);
}

const stateTexts = {
  active: 'it is valid',
  expired: 'it has expired',
  revoked: 'it was revoked',
  parent_void: 'its parent token is no longer valid',
  unreadable: 'its record cannot be read',
} as const;

function context({ now, profiles }: TokenAdminParts): Parameters<typeof readOptions>[1] {
  return { now: now(), ...(profiles !== undefined && { profiles }) };
}

/** The rights of a token, without its identity. */
function rightsOf(token: TokenRecord): Rights {
  const { principal, profile, tools, workspace, label, parent, inheritsActive, expiresAt } = token;
  return {
    principal,
    ...(profile !== undefined && { profile }),
    ...(tools !== undefined && { tools }),
    ...(workspace !== undefined && { workspace }),
    ...(label !== undefined && { label }),
    ...(parent !== undefined && { parent }),
    ...(inheritsActive !== undefined && { inheritsActive }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

/** A caller that presents a secret acts as the token's principal. */
function holderOf({ principal, id }: TokenRecord): Actor {
  return { principal, tokenId: id };
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

function ceilings({ profile, tools, workspace, expiresAt }: TokenRecord): Readonly<Record<string, unknown>> {
  return {
    ...(profile !== undefined && { profile }),
    ...(tools !== undefined && { tools }),
    ...(workspace !== undefined && { workspace }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
  };
}
