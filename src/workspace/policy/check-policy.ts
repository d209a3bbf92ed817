import type { Problem } from '../../config/index.js';
import { type PolicyFile, locateProfiles, type ProfilesPlace } from '../locate-profiles.js';
import type { ToolSpec } from '../../core/index.js';
import { believing } from './policy-to-trust.js';

export interface KnownTools {
  readonly tools: readonly ToolSpec[];
  /** Configured servers whose tools are not known yet, including those of an untrusted file. */
  readonly unlisted: readonly string[];
}

export interface CheckedPolicy {
  readonly files: readonly PolicyFile[];
  /** Problems with the content (trusted or not) and with the trust of the files. */
  readonly problems: readonly Problem[];
}

/** Reads the policy files as if they were trusted, and reports their problems. */
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
