import { formatPrincipal } from '../access/object-ids.js';
import {
  type Actor,
  type ChildTokenWish,
  createTokenDesk,
  type IdentityCode,
  IdentityError,
  type MadeToken,
  type TokenDesk,
} from '../access/identity/index.js';
import type { AccessStore } from '../access/ports.js';
import type { Caller } from '../kernel/index.js';
import type { AdminDesk, DeskOrder, DeskReply } from '../wire/http.js';
import { tokenJson } from './token-json.js';

export interface TokenOperationParts {
  readonly store: () => Promise<AccessStore>;
  readonly zone: string;
  readonly now: () => number;
  /** Names of those that exist; undefined where nobody knows. */
  readonly profiles: () => readonly string[] | undefined;
}

type TokenOperations = Pick<AdminDesk['operations'], 'tokens' | 'createToken' | 'revokeToken'>;

/** The desk of tokens as the admin API serves it. */
export function createTokenOperations(parts: TokenOperationParts): TokenOperations {
  const at = (work: (desk: TokenDesk, order: DeskOrder) => Promise<unknown>) => {
    return async (order: DeskOrder): Promise<DeskReply> => {
      const { zone, now } = parts;
      const store = await parts.store();
      // Not before: which profiles there are may be known with the store only.
      const profiles = parts.profiles();
      const by = actorOf(order);
      const desk = createTokenDesk({ store, zone, now, by, ...(profiles && { profiles }) });
      try {
        return { value: await work(desk, order) };
      } catch (error) {
        return { refused: refusalOf(error) };
      }
    };
  };
  return {
    tokens: at(async (desk) => ({ tokens: (await desk.list()).map(tokenJson) })),
    createToken: at(async (desk, { body }) => {
      const { parent, principal, ...wish } = readBody(body);
      if (parent !== undefined) {
        return madeJson(
          await desk.attenuate(parent, { ...wish, ...(principal !== undefined && { principal }) }),
        );
      }
      if (principal === undefined) throw new BadBody('principal is missing: say whose token it is.');
      const { inheritsActive: _, ...plain } = wish;
      return madeJson(await desk.create({ ...plain, principal }));
    }),
    revokeToken: at(async (desk, { parameter }) => {
      const { token, revision, children } = await desk.revoke(parameter);
      return { token: tokenJson(token), children, ...(revision !== undefined && { revision }) };
    }),
  };
}

/** Who did it, for the record: the principal, and the way on which rights came to it. */
export function actorOf({ by, requestId }: { readonly by: Caller; readonly requestId?: string }): Actor {
  const tokenId = by.chain.at(-1)?.tokenId;
  return {
    principal: formatPrincipal(by.principal),
    chain: by.chain.map(({ principal }) => formatPrincipal(principal)),
    ...(tokenId !== undefined && { tokenId }),
    ...(requestId !== undefined && { requestId }),
  };
}

/** A new token as JSON: times as people write them. */
export function madeJson({
  token,
  secret,
  revision,
  endsWith,
}: MadeToken): Readonly<Record<string, unknown>> {
  const wished = endsWith?.wished === undefined ? undefined : new Date(endsWith.wished).toISOString();
  const cut = endsWith && { parent: endsWith.parent, ...(wished !== undefined && { wished }) };
  return { token: tokenJson(token), secret, revision, ...(cut && { endsWith: cut }) };
}

class BadBody extends Error {}

type Body = ChildTokenWish & { readonly parent?: string };

const textMembers = ['principal', 'profile', 'label', 'expires', 'parent'] as const;
const allMembers: readonly string[] = [...textMembers, 'tools', 'inheritsActive'];

function readBody(body: Readonly<Record<string, unknown>>): Body {
  const strange = Object.keys(body).find((name) => !allMembers.includes(name));
  if (strange !== undefined) {
    throw new BadBody(
      `There is no member ${JSON.stringify(strange.slice(0, 40))}; there are ${allMembers.join(', ')}.`,
    );
  }
  const texts = textMembers.map((name) => [name, readText(body, name)] as const);
  const { tools, inheritsActive } = body;
  if (tools !== undefined && !isTexts(tools)) throw new BadBody('tools must be a list of texts.');
  if (inheritsActive !== undefined && typeof inheritsActive !== 'boolean') {
    throw new BadBody('inheritsActive must be true or false.');
  }
  return {
    ...Object.fromEntries(texts.filter(([, text]) => text !== undefined)),
    ...(tools !== undefined && { tools }),
    ...(inheritsActive !== undefined && { inheritsActive }),
  };
}

function readText(body: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new BadBody(`${name} must be a text.`);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

const statusOf: Readonly<Partial<Record<IdentityCode, number>>> = {
  'token.not_found': 404,
  'token.revoked': 409,
  'token.expired': 409,
  'token.parent_void': 409,
};

/** What a person can put right. Anything else is the store's trouble or a defect, and is told as such. */
function refusalOf(error: unknown): Extract<DeskReply, { refused: unknown }>['refused'] {
  if (error instanceof BadBody) return { status: 400, code: 'input.invalid', message: error.message };
  if (!(error instanceof IdentityError)) throw error;
  const { code, message } = error;
  return { status: statusOf[code] ?? 400, code, message };
}
