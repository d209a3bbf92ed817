import { principalObject, profileObject } from '../object-ids.js';
import type { GrantTuple } from '../ports.js';
import type { Entry, EntryEffect, PrincipalRule, Profile } from './profile.js';

const relations: Readonly<Record<EntryEffect, string>> = { call: 'caller', see: 'seer', block: 'blocked' };

/** What whoever has the profile is given and denied. Derived, never stored: a changed file acts at once. */
export function profileTuples(profile: Pick<Profile, 'name' | 'entries'>): readonly GrantTuple[] {
  return tuplesFor(`${profileObject(profile.name)}#assignee`, profile.entries);
}

/** What a file adds to and takes from one principal, beside the profile that it names for it. */
export function principalTuples({ principal, add, remove }: PrincipalRule): readonly GrantTuple[] {
  return tuplesFor(principalObject(principal), [...add, ...remove]);
}

function tuplesFor(user: string, entries: readonly Entry[]): readonly GrantTuple[] {
  return entries.map(({ effect, object }) => ({ user, relation: relations[effect], object }));
}
