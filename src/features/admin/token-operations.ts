import { formatPrincipal } from '../../access/index.js';
import {
  type Actor,
  type ChildTokenOptions,
  createTokenAdmin,
  type IdentityCode,
  IdentityError,
  NotAllowed,
  type MadeToken,
  type TokenAdmin,
} from '../../access/tokens/index.js';
import type { AccessStore } from '../../access/ports/index.js';
import type { Caller } from '../../core/index.js';
import type { AdminApi, AdminRequest, AdminReply } from '../../ports/admin-api.js';
import { tokenJson } from './token-json.js';

export interface TokenOperationParts {
  readonly store: () => Promise<AccessStore>;
  readonly zone: string;
  readonly now: () => number;
  /** Existing profile names; undefined if unknown. */
  readonly profiles: () => readonly string[] | undefined;
}

type TokenOperations = Pick<AdminApi['operations'], 'tokens' | 'createToken' | 'revokeToken'>;

/** The token service for the admin API. */
export function createTokenOperations(parts: TokenOperationParts): TokenOperations {
  const at = (work: (service: TokenAdmin, order: AdminRequest) => Promise<unknown>) => {
    return async (order: AdminRequest): Promise<AdminReply> => {
      const { zone, now } = parts;
      const store = await parts.store();
      // Read after opening the store, because profiles may be known only then.
      const profiles = parts.profiles();
      const by = actorOf(order);
      const service = createTokenAdmin({
        store,
        zone,
        now,
        by,
        isStillAllowed: order.isStillAdmin,
        ...(profiles && { profiles }),
      });
      try {
        return { value: await work(service, order) };
      } catch (error) {
        return { refused: refusalOf(error) };
      }
    };
  };
  return {
    tokens: at(async (service) => ({ tokens: (await service.list()).map(tokenJson) })),
    createToken: at(async (service, { body }) => {
      const { parent, principal, ...options } = readBody(body);
      if (parent !== undefined) {
        return madeJson(
          await service.attenuate(parent, { ...options, ...(principal !== undefined && { principal }) }),
        );
      }
      if (principal === undefined)
        throw new BadBody('principal is missing: name the principal of the token.');
      return madeJson(await service.create({ ...options, principal }));
    }),
    revokeToken: at(async (service, { parameter }) => {
      const { token, revision, children } = await service.revoke(parameter);
      return { token: tokenJson(token), children, ...(revision !== undefined && { revision }) };
    }),
  };
}

/** The actor for the audit record: the principal and its delegation chain. */
export function actorOf({ by, requestId }: { readonly by: Caller; readonly requestId?: string }): Actor {
  const tokenId = by.chain.at(-1)?.tokenId;
  return {
    principal: formatPrincipal(by.principal),
    chain: by.chain.map(({ principal }) => formatPrincipal(principal)),
    ...(tokenId !== undefined && { tokenId }),
    ...(requestId !== undefined && { requestId }),
  };
}

/** A new token as JSON, with ISO timestamps. */
export function madeJson({
  token,
  secret,
  revision,
  endsWith,
}: MadeToken): Readonly<Record<string, unknown>> {
  const requested =
    endsWith?.requested === undefined ? undefined : new Date(endsWith.requested).toISOString();
  const cut = endsWith && { parent: endsWith.parent, ...(requested !== undefined && { requested }) };
  return { token: tokenJson(token), secret, revision, ...(cut && { endsWith: cut }) };
}

class BadBody extends Error {}

type Body = ChildTokenOptions & { readonly parent?: string };

const textMembers = ['principal', 'profile', 'workspace', 'label', 'expires', 'parent'] as const;
/** Two names for the same field. */
const inheritMembers = ['inherit_active_mcp', 'inheritsActive'] as const;
const allMembers: readonly string[] = [...textMembers, 'tools', ...inheritMembers];

function readBody(body: Readonly<Record<string, unknown>>): Body {
  const strange = Object.keys(body).find((name) => !allMembers.includes(name));
  if (strange !== undefined) {
    throw new BadBody(
      `Unknown field ${JSON.stringify(strange.slice(0, 40))}. Available: ${allMembers.join(', ')}.`,
    );
  }
  const texts = textMembers.map((name) => [name, readText(body, name)] as const);
  const { tools } = body;
  const inheritsActive = readInheritance(body);
  if (tools !== undefined && !isTexts(tools)) throw new BadBody('tools must be a list of strings.');
  return {
    ...Object.fromEntries(texts.filter(([, text]) => text !== undefined)),
    ...(tools !== undefined && { tools }),
    ...(inheritsActive !== undefined && { inheritsActive }),
  };
}

function readInheritance(body: Readonly<Record<string, unknown>>): boolean | undefined {
  const [name, other] = inheritMembers.filter((member) => body[member] !== undefined);
  if (name === undefined) return undefined;
  if (other !== undefined)
    throw new BadBody(`${name} and ${other} mean the same thing. Use only one of them.`);
  const value = body[name];
  if (typeof value !== 'boolean') throw new BadBody(`${name} must be true or false.`);
  if (body['parent'] === undefined)
    throw new BadBody(`${name} needs a parent: only a token derived from another token inherits.`);
  return value;
}

function readText(body: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new BadBody(`${name} must be a string.`);
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

/** Errors the caller can fix. Store failures and bugs are rethrown. */
function refusalOf(error: unknown): Extract<AdminReply, { refused: unknown }>['refused'] {
  if (error instanceof BadBody) return { status: 400, code: 'input.invalid', message: error.message };
  if (error instanceof NotAllowed)
    return { status: 403, code: 'access.admin_required', message: error.message };
  if (!(error instanceof IdentityError)) throw error;
  const { code, message } = error;
  return { status: statusOf[code] ?? 400, code, message };
}
