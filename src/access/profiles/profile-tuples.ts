import { principalObject, profileObject } from '../object-ids.js';
import type { GrantTuple } from '../ports/index.js';
import type { Entry, EntryEffect, PrincipalRule, Profile } from './profile.js';

const relations: Readonly<Record<EntryEffect, string>> = { call: 'caller', see: 'seer', block: 'blocked' };

/** The tuples of a profile. Derived and never stored, so that a changed file takes effect at once. */
export function profileTuples(profile: Pick<Profile, 'name' | 'entries'>): readonly GrantTuple[] {
  return tuplesFor(`${profileObject(profile.name)}#assignee`, profile.entries);
}

/** The tuples that a file adds for one principal, in addition to its profile. */
export function principalTuples({ principal, add, remove }: PrincipalRule): readonly GrantTuple[] {
  return tuplesFor(principalObject(principal), [...add, ...remove]);
}

function tuplesFor(user: string, entries: readonly Entry[]): readonly GrantTuple[] {
  return entries.map(({ effect, object }) => ({ user, relation: relations[effect], object }));
}
