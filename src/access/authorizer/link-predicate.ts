import {
  createToolFilter,
  type Delegation,
  type Principal,
  type Reach,
  type Spec,
} from '../../core/index.js';
import { principalObject, profileObject } from '../object-ids.js';

export type Action = 'see' | 'call';
/** Whether a definition is allowed. */
export type Predicate = (spec: Spec, action: Action) => boolean;

export interface AppliedProfiles {
  readonly assigned: readonly string[];
  readonly byDefault?: string;
}

/** What a predicate is made of: checks of users under one policy and the current tuples. */
export interface Rights {
  isAdmin(principal: Principal): boolean;
  hasProfile(name: string): boolean;
  /** The profiles of a principal; the default profile if none is assigned. */
  profilesOf(delegation: Delegation): AppliedProfiles;
  /** Whether a user has one relation to a definition. */
  relationOf(user: string, relation: Action | 'barred'): (spec: Spec) => boolean;
}

/** The predicate of one link of a delegation chain. */
export function createLinkPredicate(delegation: Delegation, rights: Rights): Predicate {
  const own = ownRightsByReach(delegation, rights);
  const ceiling = profileCeiling(delegation, rights);
  const filter = delegation.tools && createToolFilter(delegation.tools);
  return (spec, action) =>
    (filter === undefined || spec.kind !== 'tool' || filter(spec.name)) &&
    (ceiling === undefined || reachOf(spec) === 'open' || ceiling(spec, action)) &&
    own(spec, action);
}

/** Full rights do not include tools with reach `named`. */
function ownRightsByReach(delegation: Delegation, rights: Rights): Predicate {
  const own = ownRights(delegation, rights);
  const isAdmin = delegation.rights === 'own' && rights.isAdmin(delegation.principal);
  const isOpen = openTools(delegation, rights, isAdmin || delegation.rights === 'all');
  const named = isAdmin ? rightsOf(principalObject(delegation.principal), rights) : own;
  return (spec, action) => {
    const reach = reachOf(spec);
    if (reach === 'open') return isOpen(spec);
    if (reach !== 'named') return own(spec, action);
    return delegation.rights === 'all' ? delegation.profile !== undefined : named(spec, action);
  };
}

function ownRights(delegation: Delegation, rights: Rights): Predicate {
  if (delegation.rights === 'all') return () => true;
  const user = principalObject(delegation.principal);
  if (delegation.rights === 'inherited') {
    const isBarred = rights.relationOf(user, 'barred');
    return (spec) => !isBarred(spec);
  }
  if (rights.isAdmin(delegation.principal)) return () => true;
  const { byDefault } = rights.profilesOf(delegation);
  return byDefault === undefined ? rightsOf(user, rights) : rightsWith(user, profileUser(byDefault), rights);
}

function rightsOf(user: string, rights: Rights): Predicate {
  const checks = { see: rights.relationOf(user, 'see'), call: rights.relationOf(user, 'call') };
  return (spec, action) => checks[action](spec);
}

/** Evaluates as if the profile were assigned: both the principal's own tuples and the profile can grant or block. */
function rightsWith(user: string, profile: string, rights: Rights): Predicate {
  const own = rightsOf(user, rights);
  const given = rightsOf(profile, rights);
  const isBarred = rights.relationOf(user, 'barred');
  const isBarredByProfile = rights.relationOf(profile, 'barred');
  return (spec, action) =>
    given(spec, action) ? !isBarred(spec) : own(spec, action) && !isBarredByProfile(spec);
}

function profileCeiling({ profile }: Delegation, rights: Rights): Predicate | undefined {
  if (profile === undefined) return undefined;
  return rights.hasProfile(profile) ? rightsOf(profileUser(profile), rights) : () => false;
}

/** Only a block takes away a tool with reach `open`. */
function openTools(delegation: Delegation, rights: Rights, hasAll: boolean): (spec: Spec) => boolean {
  const { byDefault } = delegation.rights === 'own' ? rights.profilesOf(delegation) : {};
  const profiles = [delegation.profile, hasAll ? undefined : byDefault].filter((name) => name !== undefined);
  const users = [...(hasAll ? [] : [principalObject(delegation.principal)]), ...profiles.map(profileUser)];
  const barred = users.map((user) => rights.relationOf(user, 'barred'));
  const hasProfile = delegation.profile === undefined || rights.hasProfile(delegation.profile);
  return (spec) => hasProfile && !barred.some((isBarred) => isBarred(spec));
}

function reachOf(spec: Spec): Reach | undefined {
  return spec.kind === 'tool' ? spec.reach : undefined;
}

function profileUser(name: string): string {
  return `${profileObject(name)}#assignee`;
}
