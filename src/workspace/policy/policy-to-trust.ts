import { recordedPolicy, type Problem, type Trust } from '../../config/index.js';
import type { LocatedProfiles, PolicyFile, ProfilesPlace } from '../locate-profiles.js';

/** The policy files to show before a trust decision. */
export interface PolicyToTrust {
  /** Whether there are any files, trusted or not. */
  readonly hasAny: boolean;
  /** Files that are not trusted in their current form. */
  readonly files: readonly (PolicyFile & { readonly sha256: string })[];
  /** Trusted files that no longer exist. */
  readonly gone: readonly string[];
  /** The profiles they define. */
  readonly profiles: LocatedProfiles['profiles'];
  /** Problems in their content. */
  readonly problems: readonly Problem[];
  /** Entries that match none of these tools. */
  readonly warnings: LocatedProfiles['warnings'];
}

/** Reads the files as if they were trusted, so that problems are known before the decision. */
export async function policyToTrust(place: ProfilesPlace): Promise<PolicyToTrust> {
  // Most commands do not need this code.
  const { locateProfiles } = await import('../locate-profiles.js');
  const { trust, access, directory } = place;
  const located = await locateProfiles({ ...place, trust: believing(trust) });
  const { files, profiles, problems } = located;
  const recorded = recordedPolicy({ ...access, directory }, trust);
  return {
    hasAny: files.length > 0,
    files: files.flatMap(({ sha256, ...file }) =>
      sha256 === undefined || trust.isTrusted(file.file, sha256) ? [] : [{ ...file, sha256 }],
    ),
    gone: recorded.filter((file) => !files.some((found) => found.file === file)),
    profiles,
    problems,
    warnings: (tools) => located.warnings(tools),
  };
}

/** A trust record that trusts every file as it is now. */
export function believing(trust: Trust): Trust {
  return {
    ...trust,
    isTrusted: (_, sha256) => sha256 !== undefined,
    list: () => [],
    problem: () => undefined,
  };
}
