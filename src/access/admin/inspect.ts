import { describeObject, formatPrincipal } from '../object-ids.js';
import type { StoredGrant } from '../ports/index.js';
import { reachNow } from './changed.js';
import { type AdminParts, toolsOf } from './parts.js';
import { reachOfProfile, type Reach } from './reach.js';
import { readReceiver, type Receiver } from './receiver.js';
import { strangerNotes } from './strangers.js';

/** A stored tuple in readable form, with its history. */
export interface GrantView {
  /** The target: `builtin/Read`, `github_*`, `role:dev`. */
  readonly what: string;
  readonly relation: string;
  readonly object: string;
  readonly until?: string;
  readonly isExpired?: boolean;
  readonly by: string;
  readonly at: string;
  readonly revision: number;
}

export interface Inspected extends Reach {
  readonly principal: string;
  readonly zone: string;
  readonly revision: number;
  readonly isAdmin: boolean;
  /** All that apply: assigned directly or through a role, set in the profiles file, or by default. */
  readonly profiles: readonly string[];
  readonly assigned: readonly GrantView[];
  /** The profile used because none is assigned: from the profiles file, or the default profile. */
  readonly byDefault?: string;
  readonly roles: readonly string[];
  readonly grants: readonly GrantView[];
  readonly blocks: readonly GrantView[];
  /** What the profiles file adds and removes for it. */
  readonly added: readonly string[];
  readonly taken: readonly string[];
  /** For a role: its members. */
  readonly members?: readonly string[];
  /** Profiles that grant exactly the same. */
  readonly matching: readonly string[];
  readonly notes: readonly string[];
}

export async function profileInspect(parts: AdminParts, principal: string): Promise<Inspected> {
  const { store, zone, authorizer } = parts;
  const receiver = readReceiver(principal, parts);
  const { user } = receiver;
  const reach = await reachNow(parts, receiver);
  const stored = await store.grants(zone, { user });
  const applying = profilesOf(parts, receiver);
  const views = (isWanted: (grant: StoredGrant) => boolean): readonly GrantView[] =>
    stored.filter(isWanted).map((grant) => viewOf(grant, parts.now()));
  return {
    principal,
    zone,
    revision: authorizer.revision ?? 0,
    isAdmin: stored.length > 0 && isAdmin(parts, receiver),
    ...applying,
    assigned: views(({ relation }) => relation === 'assignee'),
    roles: rolesOf(parts, user),
    grants: views(({ relation }) => relation === 'caller' || relation === 'seer'),
    blocks: views(({ relation }) => relation === 'blocked'),
    ...ruleOf(parts, receiver),
    ...(receiver.kind === 'role' && { members: await membersOf(parts, user) }),
    ...reach,
    matching: await matching(parts, reach),
    notes: [...(await strangerNotes(parts, receiver)), ...notesOf(parts, principal, applying.profiles)],
  };
}

function viewOf(grant: StoredGrant, now: number): GrantView {
  const { relation, object, condition, createdBy, createdAt, revision } = grant;
  const until = condition?.name === 'not_expired' ? condition.context?.['until'] : undefined;
  return {
    what: describeObject(object),
    relation,
    object,
    ...(typeof until === 'string' && { until, isExpired: Date.parse(until) <= now }),
    by: createdBy,
    at: new Date(createdAt).toISOString(),
    revision,
  };
}

function isAdmin({ authorizer }: AdminParts, { delegation }: Receiver): boolean {
  return delegation !== undefined && authorizer.predicates().isAdmin(delegation.principal);
}

function profilesOf(
  parts: AdminParts,
  { user, delegation }: Receiver,
): Pick<Inspected, 'profiles' | 'byDefault'> {
  const predicates = parts.authorizer.predicates();
  if (delegation !== undefined) {
    const { assigned, byDefault } = predicates.profilesOf(delegation);
    return byDefault === undefined ? { profiles: assigned } : { profiles: [byDefault], byDefault };
  }
  const objects = predicates.engine.listObjects(
    { user, relation: 'assignee', type: 'profile' },
    predicates.atNow({}),
  );
  return { profiles: objects.map((object) => object.slice('profile:'.length)) };
}

function rolesOf({ authorizer }: AdminParts, user: string): readonly string[] {
  const predicates = authorizer.predicates();
  const own = user.split('#')[0];
  return predicates.engine
    .listObjects({ user, relation: 'member', type: 'role' }, predicates.atNow({}))
    .filter((object) => object !== own)
    .map(describeObject);
}

async function membersOf({ store, zone }: AdminParts, user: string): Promise<readonly string[]> {
  const members = await store.grants(zone, { object: user.split('#')[0] ?? user, relation: 'member' });
  return members.map((member) => describeObject(member.user).replace(/#member$/, ''));
}

function ruleOf(parts: AdminParts, { delegation }: Receiver): Pick<Inspected, 'added' | 'taken'> {
  const name = delegation && formatPrincipal(delegation.principal);
  const rule = parts.profiles().principals.find(({ principal }) => formatPrincipal(principal) === name);
  return {
    added: (rule?.add ?? []).map(({ text }) => text),
    taken: (rule?.remove ?? []).map(({ text }) => text),
  };
}

async function matching(parts: AdminParts, reach: Reach): Promise<readonly string[]> {
  const tools = toolsOf(await parts.catalogue());
  const isSame = (one: readonly string[], other: readonly string[]): boolean =>
    one.length === other.length && one.every((name, at) => name === other[at]);
  return [...parts.profiles().profiles.keys()].filter((name) => {
    const { see, call } = reachOfProfile(parts.authorizer.predicates(), name, tools);
    return isSame(see, reach.see) && isSame(call, reach.call);
  });
}

/** Hints about a principal with these profiles. */
export function notesOf(
  { operator, profiles }: Pick<AdminParts, 'operator' | 'profiles'>,
  principal: string,
  names: readonly string[],
): readonly string[] {
  const isOperator = `${principal} is the operator on this machine and may do everything. This shows what a token for it can do.`;
  const known = profiles().profiles;
  const gone = [...new Set(names)].filter((name) => !known.has(name));
  return [
    ...(operator === principal ? [isOperator] : []),
    ...gone.map((name) => `Profile ${name} does not exist, so it grants nothing.`),
  ];
}
