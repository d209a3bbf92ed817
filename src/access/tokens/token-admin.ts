import type { AuditAction } from '../audit-actions.js';
import { type AuditRecord, StoreError, type TokenRecord, type TokenStore } from '../ports/index.js';
import { maxDelegations, refuseTooDeep, standingOf } from './chain.js';
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

  function audit(
    action: AuditAction,
    { id, principal, parent }: TokenRecord,
    by: Actor,
    more = {},
  ): AuditRecord {
    const detail = { principal, ...(parent !== undefined && { parent }), ...more };
    return { ...by, at: now(), zone, action, decision: 'allow', target: id, detail };
  }

  async function add(
    action: AuditAction,
    rights: Rights,
    {
      by = parts.by,
      more = {},
    }: { readonly by?: Actor; readonly more?: Readonly<Record<string, unknown>> } = {},
  ): Promise<MadeToken & { readonly record: TokenRecord }> {
    const { secret, hash, id } = mintToken();
    const record = { ...rights, id, hash, zone, createdBy: by.principal, createdAt: now() };
    const kept = audit(action, record, by, { ...ceilings(record), ...more });
    const revision = await inCheckedState(parts, (expected) => store.addToken(record, kept, expected));
    return { token: await viewToken(store, record, now()), secret, revision, record };
  }

  async function find(id: string): Promise<TokenRecord> {
    const record = isTokenId(id) ? await store.token(id) : undefined;
    if (record?.zone === zone) return record;
    throw new IdentityError(
      'token.not_found',
      isTokenId(id) ? `Unknown token: ${id}.` : 'No token has this id.',
    );
  }

  async function findParent(text: string): Promise<TokenRecord> {
    if (!isTokenSecret(text)) return find(text);
    const hash = hashToken(text);
    const record = await store.findToken(hash);
    if (record?.zone === zone && isSameHash(record.hash, hash)) return record;
    throw new IdentityError('token.not_found', 'Unknown token.');
  }

  async function childrenOf(id: string): Promise<number> {
    const all = await store.tokens(zone);
    return all.filter(({ parent, revokedAt }) => parent === id && revokedAt === undefined).length;
  }

  async function refuseVoid(record: TokenRecord): Promise<void> {
    const { state } = await viewToken(store, record, now());
    if (state === 'active') return;
    const code =
      state === 'revoked' || state === 'expired' ? (`token.${state}` as const) : 'token.parent_void';
    throw new IdentityError(code, `Token ${record.id} is no longer valid: ${stateTexts[state]}.`);
  }

  async function refuseOtherWorkspace(parent: TokenRecord, wanted: string | undefined): Promise<void> {
    const standing = await standingOf(store, zone, parent);
    const own = standing.kind === 'good' ? standing.caller.workspace : undefined;
    if (wanted === undefined || own === undefined || wanted === own) return;
    const message = `The parent token ${parent.id} is only valid for the workspace ${own}.`;
    throw new IdentityError('token.bad_workspace', message);
  }

  async function linksTo(record: TokenRecord): Promise<number> {
    const standing = await standingOf(store, zone, record);
    return standing.kind === 'good' ? standing.caller.chain.length : maxDelegations;
  }

  return {
    async create(options) {
      const fields = readOptions(options, context(parts));
      const { record: _, ...made } = await add('token.create', fields);
      return made;
    },
    list: async () => viewTokens(await store.tokens(zone), now()),
    show: async (id) => viewToken(store, await find(id), now()),
    async rotate(id) {
      const old = await find(id);
      await refuseVoid(old);
      const children = await childrenOf(id);
      const { record, ...made } = await add('token.rotate', rightsOf(old), { more: { replaces: id } });
      try {
        const gone = audit('token.rotate', old, parts.by, { replacedBy: record.id });
        const revision = await store.revokeToken(zone, id, now(), gone);
        // If it was revoked in the meantime, no second token may replace it.
        if (revision === undefined) await refuseVoid(await find(id));
        return { ...made, revision: revision ?? made.revision, replaced: id, children };
      } catch (error) {
        // The new secret was never returned, so revoke the token. If this fails too, the token is unusable anyway.
        await store
          .revokeToken(zone, record.id, now(), audit('token.revoke', record, parts.by))
          .catch(() => {});
        throw error;
      }
    },
    async revoke(id) {
      const record = await find(id);
      const children = await childrenOf(id);
      const gone = audit('token.revoke', record, parts.by);
      const revision = await inCheckedState(parts, (expected) =>
        store.revokeToken(zone, id, now(), gone, expected),
      );
      const token = await viewToken(store, await find(id), now());
      return { token, children, ...(revision !== undefined && { revision }) };
    },
    async attenuate(given, options) {
      const parent = await findParent(given);
      await refuseVoid(parent);
      refuseTooDeep(await linksTo(parent));
      await refuseOtherWorkspace(parent, options.workspace);
      const fields = readOptions({ principal: parent.principal, ...options }, context(parts));
      const expiresAt = earlier(fields.expiresAt, parent.expiresAt);
      const by = isTokenSecret(given) ? holderOf(parent) : parts.by;
      const { record: _, ...made } = await add(
        'token.attenuate',
        {
          ...fields,
          parent: parent.id,
          inheritsActive: options.inheritsActive ?? true,
          ...(expiresAt !== undefined && { expiresAt }),
        },
        { by },
      );
      const requested = fields.expiresAt;
      const isCut = expiresAt !== undefined && expiresAt !== requested;
      if (!isCut) return made;
      return { ...made, endsWith: { parent: parent.id, ...(requested !== undefined && { requested }) } };
    },
  };
}

/** The caller lost the right during the operation. */
export class NotAllowed extends Error {}

const maxTries = 500;

/** Writes at the revision at which the caller's rights were checked; checks again after a conflict. */
async function inCheckedState<T>(
  { store, zone, isStillAllowed }: TokenAdminParts,
  write: (expected: string | undefined) => Promise<T>,
): Promise<T> {
  if (isStillAllowed === undefined) return write(undefined);
  for (let tries = 1; ; tries += 1) {
    const { history } = await store.head(zone);
    if (!(await isStillAllowed())) throw new NotAllowed('Only an admin can do this.');
    try {
      return await write(history);
    } catch (error) {
      const isConflict = error instanceof StoreError && error.code === 'store.conflict';
      if (!isConflict || tries >= maxTries) throw error;
    }
  }
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
