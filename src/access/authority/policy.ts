import type { Tuple } from '../engine/index.js';
import { principalObject } from '../object-ids.js';
import { principalTuples, type Profiles, profileTuples } from '../profiles/index.js';

/** What the profiles file says, as tuples. Another file is another policy. */
export interface Policy {
  readonly tuples: readonly Tuple[];
  /** For principals without any profile; undefined: they have none. */
  readonly defaultProfile: string | undefined;
  /** What the file names for single principals, by their object: used as long as no profile is assigned to them. */
  readonly profileFor: ReadonlyMap<string, string>;
  readonly names: ReadonlySet<string>;
}

/** `defaultProfile`: what a gate was started with, in the place of what the file says. */
export function createPolicy({ profiles, principals, ...rest }: Profiles, defaultProfile?: string): Policy {
  const named = principals.flatMap(({ principal, profile }) =>
    profile === undefined ? [] : [[principalObject(principal), profile] as const],
  );
  return {
    tuples: [...[...profiles.values()].flatMap(profileTuples), ...principals.flatMap(principalTuples)],
    defaultProfile: defaultProfile ?? rest.defaultProfile,
    profileFor: new Map(named),
    names: new Set(profiles.keys()),
  };
}
