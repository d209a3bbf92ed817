import type { ToolSpec } from '../../kernel/index.js';
import {
  groupOfGlob,
  parseObject,
  providerObject,
  roleObject,
  toolObject,
  zoneObject,
} from '../object-ids.js';
import type { GrantKey, GrantTuple } from '../ports.js';
import { type Changed, changed } from './changed.js';
import { DeskError } from './desk-error.js';
import type { DeskParts } from './parts.js';
import { reachOf } from './reach.js';
import { quoted, readReceiver, type Receiver, roleOf } from './receiver.js';
import { commandLine, shellWord } from './shell-word.js';
import { strangerNotes } from './strangers.js';
import { findTarget, fitsAnything, type Target, unknownTarget } from './target.js';
import { throughOf } from './through.js';
import { fresh } from './write.js';

export interface RevokeOptions {
  /** Everything that was given to it: grants, profile, roles. Names no tool. */
  readonly all?: boolean;
  /** Also keeps it from coming back by another way. */
  readonly block?: boolean;
  /** Takes a block away, and nothing else; with `all`, the blocks too. */
  readonly unblock?: boolean;
  /** The zone. Names no tool. */
  readonly admin?: boolean;
}

/** A right that is still there after a revocation, and what it comes from. */
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

/** Takes direct grants away. What comes through profiles and roles stays, and is told. */
export async function revoke(
  parts: DeskParts,
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

function profileNotGranted(principal: string, what: string): DeskError {
  const message = `${quoted(what)} is a profile: it is taken away by assigning another one, or none.`;
  return new DeskError('access.bad_target', message, commandLine('profile', 'assign', principal, 'none'));
}

function refuseContrary(what: string | undefined, { all, block, unblock, admin }: RevokeOptions): void {
  const wrong = (message: string): DeskError => new DeskError('access.bad_request', message);
  const named = [what !== undefined, all === true, admin === true].filter(Boolean).length;
  if (named !== 1) throw wrong('Name what is revoked, or say all, or admin: one of the three.');
  if (block === true && unblock === true) throw wrong('To block and to unblock exclude each other.');
  if (block === true && what === undefined) throw wrong('Name the tool that is blocked.');
}

interface Meant {
  covers(tuple: GrantKey): boolean;
  readonly tools: readonly ToolSpec[];
  readonly target?: Target;
  /** The refusal for a name that fits neither a tool nor a grant. */
  readonly unknown?: () => DeskError;
}

async function meantBy(
  parts: DeskParts,
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
      throw new DeskError('access.bad_request', 'A role is had or not: it cannot be blocked.');
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

/** Whoever takes a set away means also those of it that were granted one by one. */
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

function storedBy({ authority }: DeskParts, { user }: Receiver): readonly GrantKey[] {
  return authority.replica.tuples.byUser(user);
}

function onlyKey({ user, relation, object }: GrantKey): GrantKey {
  return { user, relation, object };
}

function stillThere(parts: DeskParts, receiver: Receiver, tools: readonly ToolSpec[]): readonly StillThere[] {
  const judge = parts.authority.judge();
  const { see, call } = reachOf(judge, receiver, tools);
  return tools
    .filter(({ name }) => see.includes(name))
    .map((tool) => {
      const action = call.includes(tool.name) ? 'call' : 'see';
      return { tool: tool.name, action, through: throughOf(judge, receiver, tool, action) };
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
        `To take it away whatever else gives it: tidegate revoke ${text} ${shellWord(what)} --block`,
    );
  if (done.opened.see.length > 0 && options.unblock !== true)
    notes.push(`What applies now opens more than before: ${done.opened.see.join(', ')}.`);
  return notes;
}
