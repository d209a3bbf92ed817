import type { Tuple } from '../engine/index.js';
import { principalObject } from '../object-ids.js';
import { principalTuples, type Profiles, profileTuples } from '../profiles/index.js';

/** The profiles file as tuples. A changed file is a new policy. */
export interface Policy {
  readonly tuples: readonly Tuple[];
  /** For principals without a profile. Undefined: they have none. */
  readonly defaultProfile: string | undefined;
  /** Profiles that the file sets for single principals. Used while no profile is assigned to them. */
  readonly profileFor: ReadonlyMap<string, string>;
  readonly names: ReadonlySet<string>;
}

/** `defaultProfile` is the profile that the gateway was started with and overrides the file. */
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
