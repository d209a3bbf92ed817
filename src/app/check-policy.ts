import type { Problem } from '../config/index.js';
import { type PolicyFile, locateProfiles, type ProfilesPlace } from './locate-profiles.js';
import type { KnownTools } from './known-tools.js';
import { believing } from './policy-to-trust.js';

export interface CheckedPolicy {
  readonly files: readonly PolicyFile[];
  /** What is wrong with what the files say, trusted or not, and with their trust. */
  readonly problems: readonly Problem[];
}

/** Reads the files of policy of a place as if they were trusted, and says how they stand. */
export async function checkPolicy(
  place: ProfilesPlace,
  known: KnownTools | undefined,
): Promise<CheckedPolicy> {
  const { files, problems: ofTrust } = await locateProfiles(place);
  const content = await locateProfiles({ ...place, trust: believing(place.trust) });
  const warnings = known === undefined ? [] : content.warnings(known.tools);
  return { files, problems: unique([...content.problems, ...warnings, ...ofTrust]) };
}

function unique(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}
