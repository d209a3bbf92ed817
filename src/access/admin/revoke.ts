import { commandLine, shellWord } from '../../lib/shell-word.js';
import type { ToolSpec } from '../../core/index.js';
import {
  groupOfGlob,
  parseObject,
  providerObject,
  roleObject,
  toolObject,
  zoneObject,
} from '../object-ids.js';
import type { GrantKey, GrantTuple } from '../ports/index.js';
import { type Changed, changed } from './changed.js';
import { AdminError } from './admin-error.js';
import type { AdminParts } from './parts.js';
import { reachOf } from './reach.js';
import { quoted, readReceiver, type Receiver, roleOf } from './receiver.js';
import { strangerNotes } from './strangers.js';
import { findTarget, fitsAnything, type Target, unknownTarget } from './target.js';
import { throughOf } from './through.js';
import { fresh } from './write.js';

export interface RevokeOptions {
  /** Revoke everything: grants, profile, roles. Without a tool name. */
  readonly all?: boolean;
  /** Also block it, so that nothing else can grant it. */
  readonly block?: boolean;
  /** Remove only the block; with `all`, remove the blocks too. */
  readonly unblock?: boolean;
  /** Revoke admin rights. Without a tool name. */
  readonly admin?: boolean;
}

/** A right that remains after a revocation, and where it comes from. */
export interface StillThere {
  readonly tool: string;
  readonly action: 'see' | 'call';
  readonly through: string;
}

export interface Revoked extends Changed {
  readonly principal: string;
  readonly what: string;
  readonly still: readonly StillThere[];
}

/** Revokes direct grants. Rights through profiles and roles stay and are reported. */
export async function revoke(
  parts: AdminParts,
  principal: string,
  what: string | undefined,
  options: RevokeOptions = {},
): Promise<Revoked> {
  const receiver = readReceiver(principal, parts);
  refuseContrary(what, options);
  await fresh(parts);
  if (what?.startsWith('profile:') === true) throw profileNotGranted(principal, what);
  const strange = await strangerNotes(parts, receiver);
  const meant = await meantBy(parts, what, options);
  const block = blockOf(receiver, meant, options);
  const words = what ?? (options.admin === true ? 'admin' : 'everything');
  const done = await changed(
    parts,
    receiver,
    () => {
      const remove = storedBy(parts, receiver).filter((tuple) => meant.covers(tuple));
      if (remove.length === 0 && block.length === 0 && meant.unknown !== undefined) throw meant.unknown();
      return { remove: remove.map(onlyKey), add: block };
    },
    { action: 'grant.revoke', target: principal, detail: { what: words } },
  );
  const still = options.unblock === true ? [] : stillThere(parts, receiver, meant.tools);
  return {
    principal,
    what: words,
    ...done,
    still,
    notes: [...strange, ...notesOf(receiver, words, { done, still, options })],
  };
}

function profileNotGranted(principal: string, what: string): AdminError {
  const message = `${quoted(what)} is a profile. To remove it, assign another profile or none.`;
  return new AdminError('access.bad_target', message, commandLine('profile', 'assign', principal, 'none'));
}

function refuseContrary(what: string | undefined, { all, block, unblock, admin }: RevokeOptions): void {
  const wrong = (message: string): AdminError => new AdminError('access.bad_request', message);
  const named = [what !== undefined, all === true, admin === true].filter(Boolean).length;
  if (named !== 1) throw wrong('Pass exactly one of: what to revoke, all, or admin.');
  if (block === true && unblock === true) throw wrong('block and unblock cannot be combined.');
  if (block === true && what === undefined) throw wrong('Pass the tool to block.');
}

interface Meant {
  covers(tuple: GrantKey): boolean;
  readonly tools: readonly ToolSpec[];
  readonly target?: Target;
  /** The error for a name that matches neither a tool nor a grant. */
  readonly unknown?: () => AdminError;
}

async function meantBy(
  parts: AdminParts,
  what: string | undefined,
  { all, unblock, block }: RevokeOptions,
): Promise<Meant> {
  if (all === true)
    return { tools: [], covers: ({ relation }) => unblock === true || relation !== 'blocked' };
  if (what === undefined) {
    const zone = zoneObject(parts.zone);
    return { tools: [], covers: ({ object, relation }) => object === zone && relation === 'admin' };
  }
  const role = roleOf(what);
  if (role !== undefined) {
    if (block === true || unblock === true)
      throw new AdminError('access.bad_request', 'Roles cannot be blocked or unblocked.');
    return {
      tools: [],
      covers: ({ object, relation }) => object === roleObject(role) && relation === 'member',
    };
  }
  const { found: target, catalogue } = await findTarget(parts, what);
  const isKnown = fitsAnything(target, catalogue);
  return {
    target,
    tools: target.tools,
    covers: unblock === true ? (tuple) => isBlockOf(tuple, target) : (tuple) => isGrantWithin(tuple, target),
    ...(!isKnown && { unknown: () => unknownTarget(what, catalogue, parts) }),
  };
}

function isBlockOf({ object, relation }: GrantKey, target: Target): boolean {
  return relation === 'blocked' && (object === target.object || target.aliases.includes(object));
}

/** Revoking a set also revokes its members that were granted individually. */
function isGrantWithin({ object, relation }: GrantKey, { object: whole, aliases, tools }: Target): boolean {
  if (relation !== 'caller' && relation !== 'seer') return false;
  if (object === whole || aliases.includes(object)) return true;
  const parts = parseObject(object);
  if (parts?.type === 'tool' && providerObject(parts.source) === whole) return true;
  return tools.some((tool) => object === toolObject(tool) || object === groupOfGlob(tool.name));
}

function blockOf({ user }: Receiver, { target }: Meant, { block }: RevokeOptions): readonly GrantTuple[] {
  return block === true && target !== undefined ? [{ user, relation: 'blocked', object: target.object }] : [];
}

function storedBy({ authorizer }: AdminParts, { user }: Receiver): readonly GrantKey[] {
  return authorizer.replica.tuples.byUser(user);
}

function onlyKey({ user, relation, object }: GrantKey): GrantKey {
  return { user, relation, object };
}

function stillThere(
  parts: AdminParts,
  receiver: Receiver,
  tools: readonly ToolSpec[],
): readonly StillThere[] {
  const predicates = parts.authorizer.predicates();
  const { see, call } = reachOf(predicates, receiver, tools);
  return tools
    .filter(({ name }) => see.includes(name))
    .map((tool) => {
      const action = call.includes(tool.name) ? 'call' : 'see';
      return { tool: tool.name, action, through: throughOf(predicates, receiver, tool, action) };
    });
}

function notesOf(
  { text }: Receiver,
  what: string,
  { done, still, options }: { done: Changed; still: readonly StillThere[]; options: RevokeOptions },
): readonly string[] {
  const notes: string[] = [];
  const [first] = still;
  if (first !== undefined)
    notes.push(
      `${text} may still ${first.action} ${first.tool}, through ${first.through}. ` +
        `To block it no matter what grants it, run: tidegate revoke ${text} ${shellWord(what)} --block`,
    );
  if (done.opened.see.length > 0 && options.unblock !== true)
    notes.push(`This change makes more tools visible: ${done.opened.see.join(', ')}.`);
  return notes;
}
