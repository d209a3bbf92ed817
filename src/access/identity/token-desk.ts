import type { AuditAction } from '../audit-actions.js';
import type { AuditRecord, TokenRecord, TokenStore } from '../ports.js';
import { maxLinks, refuseTooDeep, standingOf } from './chain.js';
import { IdentityError } from './identity-error.js';
import { hashToken, isSameHash, isTokenId, isTokenSecret, mintToken } from './token-secret.js';
import { type TokenView, viewToken, viewTokens } from './token-view.js';
import { type ChildTokenWish, readWish, type TokenWish } from './token-wish.js';

/** Who works at the desk, for the record. */
export type Actor = Pick<AuditRecord, 'principal' | 'chain' | 'tokenId' | 'requestId' | 'traceId'>;

export interface TokenDeskParts {
  readonly store: TokenStore;
  readonly zone: string;
  readonly now: () => number;
  readonly by: Actor;
  /** Names of the profiles that exist; left out: every name is taken. */
  readonly profiles?: readonly string[];
}

/** A new token with its secret, which nobody can be told again. */
export interface MadeToken {
  readonly token: TokenView;
  readonly secret: string;
  readonly revision: number;
  /** That it ends earlier than was wished, or at all, because its parent does. */
  readonly endsWith?: { readonly parent: string; readonly wished?: number };
}

export interface RotatedToken extends MadeToken {
  /** The token that is no longer good. */
  readonly replaced: string;
  /** How many tokens that were made from it ended with it. */
  readonly children: number;
}

export interface RevokedToken {
  readonly token: TokenView;
  /** Absent when it was revoked before. */
  readonly revision?: number;
  readonly children: number;
}

/** What operators do with tokens; commands and the admin API are two faces of it. Refuses with `IdentityError`. */
export interface TokenDesk {
  create(wish: TokenWish): Promise<MadeToken>;
  list(): Promise<readonly TokenView[]>;
  show(id: string): Promise<TokenView>;
  /** The same rights under a new secret; the old one, and what was made from it, is void. */
  rotate(id: string): Promise<RotatedToken>;
  revoke(id: string): Promise<RevokedToken>;
  /** A token that can do no more than its parent, named by its secret or its id, and ends no later. */
  attenuate(parent: string, wish: ChildTokenWish): Promise<MadeToken>;
}

type Rights = Pick<
  TokenRecord,
  'principal' | 'profile' | 'tools' | 'label' | 'parent' | 'inheritsActive' | 'expiresAt'
>;

export function createTokenDesk(parts: TokenDeskParts): TokenDesk {
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
    const revision = await store.addToken(
      record,
      audit(action, record, by, { ...ceilings(record), ...more }),
    );
    return { token: await viewToken(store, record, now()), secret, revision, record };
  }

  async function find(id: string): Promise<TokenRecord> {
    const record = isTokenId(id) ? await store.token(id) : undefined;
    if (record?.zone === zone) return record;
    throw new IdentityError(
      'token.not_found',
      `There is no token ${isTokenId(id) ? id : 'of that id'} here.`,
    );
  }

  async function findParent(text: string): Promise<TokenRecord> {
    if (!isTokenSecret(text)) return find(text);
    const hash = hashToken(text);
    const record = await store.findToken(hash);
    if (record?.zone === zone && isSameHash(record.hash, hash)) return record;
    throw new IdentityError('token.not_found', 'Nobody here knows the token that was given.');
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
    throw new IdentityError(code, `The token ${record.id} is no longer good: ${wordsOf[state]}.`);
  }

  async function linksTo(record: TokenRecord): Promise<number> {
    const standing = await standingOf(store, zone, record);
    return standing.kind === 'good' ? standing.caller.chain.length : maxLinks;
  }

  return {
    async create(wish) {
      const fields = readWish(wish, context(parts));
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
        // Somebody else took it away meanwhile: only one token may stand in its place.
        if (revision === undefined) await refuseVoid(await find(id));
        return { ...made, revision: revision ?? made.revision, replaced: id, children };
      } catch (error) {
        // Nobody was told the new secret, so nobody misses it. Should this fail too, it is nobody's all the same.
        await store
          .revokeToken(zone, record.id, now(), audit('token.revoke', record, parts.by))
          .catch(() => {});
        throw error;
      }
    },
    async revoke(id) {
      const record = await find(id);
      const children = await childrenOf(id);
      const revision = await store.revokeToken(zone, id, now(), audit('token.revoke', record, parts.by));
      const token = await viewToken(store, await find(id), now());
      return { token, children, ...(revision !== undefined && { revision }) };
    },
    async attenuate(given, wish) {
      const parent = await findParent(given);
      await refuseVoid(parent);
      refuseTooDeep(await linksTo(parent));
      const fields = readWish({ principal: parent.principal, ...wish }, context(parts));
      const expiresAt = earlier(fields.expiresAt, parent.expiresAt);
      const by = isTokenSecret(given) ? holderOf(parent) : parts.by;
      const { record: _, ...made } = await add(
        'token.attenuate',
        {
          ...fields,
          parent: parent.id,
          inheritsActive: wish.inheritsActive ?? true,
          ...(expiresAt !== undefined && { expiresAt }),
        },
        { by },
      );
      const wished = fields.expiresAt;
      const isCut = expiresAt !== undefined && expiresAt !== wished;
      if (!isCut) return made;
      return { ...made, endsWith: { parent: parent.id, ...(wished !== undefined && { wished }) } };
    },
  };
}

const wordsOf = {
  active: 'it is good',
  expired: 'its time is over',
  revoked: 'it was revoked',
  parent_void: 'the token that it was made from is void',
  unreadable: 'its record cannot be read',
} as const;

function context({ now, profiles }: TokenDeskParts): Parameters<typeof readWish>[1] {
  return { now: now(), ...(profiles !== undefined && { profiles }) };
}

/** What a token is good for, without what makes it this one. */
function rightsOf(token: TokenRecord): Rights {
  const { principal, profile, tools, label, parent, inheritsActive, expiresAt } = token;
  return {
    principal,
    ...(profile !== undefined && { profile }),
    ...(tools !== undefined && { tools }),
    ...(label !== undefined && { label }),
    ...(parent !== undefined && { parent }),
    ...(inheritsActive !== undefined && { inheritsActive }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

/** Whoever shows a secret acts as its principal, whoever sits at the keyboard. */
function holderOf({ principal, id }: TokenRecord): Actor {
  return { principal, tokenId: id };
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

function ceilings({ profile, tools, expiresAt }: TokenRecord): Readonly<Record<string, unknown>> {
  return {
    ...(profile !== undefined && { profile }),
    ...(tools !== undefined && { tools }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
  };
}
