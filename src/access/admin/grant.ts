import { commandLine, shellWord } from '../../lib/shell-word.js';
import { readExpiry } from '../tokens/expiry.js';
import { roleObject, zoneObject } from '../object-ids.js';
import type { GrantTuple } from '../ports/index.js';
import { type Changed, changed } from './changed.js';
import { AdminError } from './admin-error.js';
import type { AdminParts } from './parts.js';
import { type Reach, reachOf } from './reach.js';
import { quoted, readReceiver, type Receiver, roleOf } from './receiver.js';
import { said, type SaidTuple } from './sentences.js';
import { strangeRoleNotes, strangerNotes } from './strangers.js';
import { findTarget, fitsAnything, type Target, unknownTarget } from './target.js';
import { fresh } from './write.js';

export interface GrantOptions {
  /** Allow seeing only, not calling. */
  readonly see?: boolean;
  /** `8h`, `30d` or a date. */
  readonly until?: string;
  /** Block instead of grant. Overrides every grant. */
  readonly block?: boolean;
  /** Full rights in the zone, including changing rights. Without a tool name. */
  readonly admin?: boolean;
  /** Accept a name that matches no known tool. */
  readonly force?: boolean;
}

export interface Granted extends Changed {
  readonly principal: string;
  readonly what: string;
  /** The tuple of the grant, new or existing. */
  readonly tuple: SaidTuple;
}

/** Grants a tool, a set of tools, a role or admin rights to a principal, a role or everybody. */
export async function grant(
  parts: AdminParts,
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
  const wrong = (message: string): AdminError => new AdminError('access.bad_request', message);
  if ((what === undefined) !== (admin === true))
    throw wrong(
      'Pass what to grant (a tool, a pattern, server:name, tier:n or role:name) or admin, but not both.',
    );
  if (see === true && block === true) throw wrong('see and block cannot be combined.');
  if (admin === true && (see === true || block === true))
    throw wrong('admin cannot be combined with see or block.');
  if (block === true && until !== undefined)
    throw wrong('A block cannot expire. Remove it when you no longer need it.');
}

/** The expiry in the format of conditions. */
function untilOf(text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined;
  const at = readExpiry(text, now);
  if (at === undefined)
    throw new AdminError('access.bad_time', `${quoted(text)} is not a valid future time.`);
  return new Date(at).toISOString();
}

interface Meant {
  readonly object: string;
  readonly relation: string;
  /** Absent for roles and the zone. */
  readonly target?: Target;
}

async function meantBy(
  parts: AdminParts,
  { principal, what }: { readonly principal: string; readonly what: string | undefined },
  { see, block, force }: GrantOptions,
): Promise<Meant> {
  if (what === undefined) return { object: zoneObject(parts.zone), relation: 'admin' };
  const role = roleOf(what);
  if (role !== undefined) {
    if (see === true || block === true)
      throw new AdminError('access.bad_request', 'Roles cannot be combined with see or block.');
    return { object: roleObject(role), relation: 'member' };
  }
  if (what.startsWith(profilePrefix)) {
    const message = `${quoted(what)} is a profile. Profiles are assigned, not granted.`;
    const next = commandLine('profile', 'assign', principal, what.slice(profilePrefix.length));
    throw new AdminError('access.bad_target', message, next);
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

/** The model lets everybody see individual tools, but never call them. */
function refuseForEverybody({ kind }: Receiver, { what, target, options }: Wanted): void {
  const isTaken = target?.isTool === true && options.see === true && options.until === undefined;
  if (kind !== 'everybody' || isTaken) return;
  const message =
    'You can only let everybody see individual tools. To let everybody call tools, use the default profile.';
  const next =
    target?.isTool === true && options.block !== true
      ? `${commandLine('grant', 'everybody', what ?? '', '--see')}, or set default_profile in .tidegate/profiles.yaml`
      : 'set default_profile in .tidegate/profiles.yaml; or use a role: tidegate grant role:all …';
  throw new AdminError('access.not_in_model', message, next);
}

interface Outcome {
  readonly receiver: Receiver;
  readonly done: Changed;
  readonly options: GrantOptions;
  readonly target: Target | undefined;
}

function notesOf(parts: AdminParts, { receiver, done, options, target }: Outcome): readonly string[] {
  const notes: string[] = [];
  const [replaced] = done.removed;
  if (replaced !== undefined) {
    const before = replaced.condition?.context?.['until'];
    notes.push(
      `This replaces an earlier grant ${typeof before === 'string' ? `until ${before}` : 'without expiry'}.`,
    );
  }
  if (target === undefined || options.block === true || receiver.delegation === undefined) return notes;
  const closed = stillClosed(parts, receiver, target, options.see === true ? 'see' : 'call');
  if (closed.length > 0) {
    const names = closed.slice(0, 3).join(', ');
    notes.push(
      `Still blocked: ${names}. See why: tidegate explain ${shellWord(receiver.text)} ${shellWord(String(closed[0]))}`,
    );
  }
  return notes;
}

/** A block overrides the new grant, so tell the caller at once. */
function stillClosed(
  { authorizer }: AdminParts,
  receiver: Receiver,
  { tools }: Target,
  action: keyof Reach,
): readonly string[] {
  const open = new Set(reachOf(authorizer.predicates(), receiver, tools)[action]);
  return tools.map(({ name }) => name).filter((name) => !open.has(name));
}
