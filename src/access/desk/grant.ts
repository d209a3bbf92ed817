import { readExpiry } from '../identity/expiry.js';
import { roleObject, zoneObject } from '../object-ids.js';
import type { GrantTuple } from '../ports.js';
import { type Changed, changed } from './changed.js';
import { DeskError } from './desk-error.js';
import type { DeskParts } from './parts.js';
import { type Reach, reachOf } from './reach.js';
import { quoted, readReceiver, type Receiver, roleOf } from './receiver.js';
import { said, type SaidTuple } from './sentences.js';
import { commandLine } from './shell-word.js';
import { strangeRoleNotes, strangerNotes } from './strangers.js';
import { findTarget, fitsAnything, type Target, unknownTarget } from './target.js';
import { fresh } from './write.js';

export interface GrantOptions {
  /** To be seen, not called. */
  readonly see?: boolean;
  /** `8h`, `30d` or a date. */
  readonly until?: string;
  /** Takes away instead, and beats every grant. */
  readonly block?: boolean;
  /** Everything in the zone, and the right to change rights. Names no tool. */
  readonly admin?: boolean;
  /** Also for a name that fits nothing now. */
  readonly force?: boolean;
}

export interface Granted extends Changed {
  readonly principal: string;
  readonly what: string;
  /** The one tuple that stands for it, written now or before. */
  readonly tuple: SaidTuple;
}

/** Gives a principal, a role or everybody a tool, a set of tools, a role, or the zone. */
export async function grant(
  parts: DeskParts,
  principal: string,
  what: string | undefined,
  options: GrantOptions = {},
): Promise<Granted> {
  const receiver = readReceiver(principal, parts);
  refuseContrary(what, options);
  const until = untilOf(options.until, parts.now());
  await fresh(parts);
  const { object, relation, target } = await meantBy(parts, { principal, what }, options);
  refuseForEverybody(receiver, { what, target, options });
  const strange = [...(await strangerNotes(parts, receiver)), ...strangeRoleNotes(parts, what)];
  const tuple: GrantTuple = {
    user: receiver.user,
    relation,
    object,
    ...(until !== undefined && { condition: { name: 'not_expired', context: { until } } }),
  };
  const done = await changed(parts, receiver, () => ({ add: [tuple] }), {
    action: 'grant.write',
    target: principal,
    detail: { what: what ?? 'admin' },
  });
  const notes = [...strange, ...notesOf(parts, { receiver, done, options, target })];
  return { principal, what: what ?? 'admin', tuple: said(tuple), ...done, notes };
}

function refuseContrary(what: string | undefined, options: GrantOptions): void {
  const { see, block, admin, until } = options;
  const wrong = (message: string): DeskError => new DeskError('access.bad_request', message);
  if ((what === undefined) !== (admin === true))
    throw wrong(
      'Say what is granted: a tool, a pattern, server:name, tier:n or role:name; or that it is an admin, and nothing else.',
    );
  if (see === true && block === true) throw wrong('To see and to block exclude each other.');
  if (admin === true && (see === true || block === true)) throw wrong('An admin is not limited to seeing.');
  if (block === true && until !== undefined) throw wrong('A block has no end: take it away when it is over.');
}

/** As conditions keep it. */
function untilOf(text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined;
  const at = readExpiry(text, now);
  if (at === undefined) throw new DeskError('access.bad_time', `${quoted(text)} is no time to come.`);
  return new Date(at).toISOString();
}

interface Meant {
  readonly object: string;
  readonly relation: string;
  /** Absent for roles and the zone. */
  readonly target?: Target;
}

async function meantBy(
  parts: DeskParts,
  { principal, what }: { readonly principal: string; readonly what: string | undefined },
  { see, block, force }: GrantOptions,
): Promise<Meant> {
  if (what === undefined) return { object: zoneObject(parts.zone), relation: 'admin' };
  const role = roleOf(what);
  if (role !== undefined) {
    if (see === true || block === true)
      throw new DeskError('access.bad_request', 'A role is had or not: it cannot be seen or blocked.');
    return { object: roleObject(role), relation: 'member' };
  }
  if (what.startsWith(profilePrefix)) {
    const message = `${quoted(what)} is a profile, which is assigned and not granted.`;
    const next = commandLine('profile', 'assign', principal, what.slice(profilePrefix.length));
    throw new DeskError('access.bad_target', message, next);
  }
  const { found: target, catalogue } = await findTarget(parts, what);
  if (force !== true && !fitsAnything(target, catalogue)) throw unknownTarget(what, catalogue, parts);
  const relation = block === true ? 'blocked' : see === true ? 'seer' : 'caller';
  return { object: target.object, relation, target };
}

const profilePrefix = 'profile:';

interface Wanted {
  readonly what: string | undefined;
  readonly target: Target | undefined;
  readonly options: GrantOptions;
}

/** Nobody can be let call something by being anybody: all that everybody can be given is one tool, to be seen. */
function refuseForEverybody({ kind }: Receiver, { what, target, options }: Wanted): void {
  const isTaken = target?.isTool === true && options.see === true && options.until === undefined;
  if (kind !== 'everybody' || isTaken) return;
  const message =
    'Everybody can be given one tool to be seen, and nothing else: what everybody may call stands in the default profile.';
  const next =
    target?.isTool === true && options.block !== true
      ? `${commandLine('grant', 'everybody', what ?? '', '--see')}, or set default_profile in .tidegate/profiles.yaml`
      : 'set default_profile in .tidegate/profiles.yaml; or use a role: tidegate grant role:all …';
  throw new DeskError('access.not_in_model', message, next);
}

interface Outcome {
  readonly receiver: Receiver;
  readonly done: Changed;
  readonly options: GrantOptions;
  readonly target: Target | undefined;
}

function notesOf(parts: DeskParts, { receiver, done, options, target }: Outcome): readonly string[] {
  const notes: string[] = [];
  const [replaced] = done.removed;
  if (replaced !== undefined) {
    const before = replaced.condition?.context?.['until'];
    notes.push(
      `It was granted before, ${typeof before === 'string' ? `until ${before}` : 'without an end'}.`,
    );
  }
  if (target === undefined || options.block === true || receiver.link === undefined) return notes;
  const closed = stillClosed(parts, receiver, target, options.see === true ? 'see' : 'call');
  if (closed.length > 0) {
    const names = closed.slice(0, 3).join(', ');
    notes.push(`Still blocked: ${names}. See why: tidegate explain ${receiver.text} ${String(closed[0])}`);
  }
  return notes;
}

/** A block beats what was just granted: better told now than found out. */
function stillClosed(
  { authority }: DeskParts,
  receiver: Receiver,
  { tools }: Target,
  action: keyof Reach,
): readonly string[] {
  const open = new Set(reachOf(authority.judge(), receiver, tools)[action]);
  return tools.map(({ name }) => name).filter((name) => !open.has(name));
}
