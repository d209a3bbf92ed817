import { recordedPolicy, type Problem, type Trust } from '../config/index.js';
import type { LocatedProfiles, PolicyFile, ProfilesPlace } from './locate-profiles.js';

/** The files of profiles and model of a place, as somebody sees them who decides whether to trust them. */
export interface PolicyToTrust {
  /** Whether there is any, trusted or not. */
  readonly hasAny: boolean;
  /** Those that nobody trusted as they are now. */
  readonly files: readonly (PolicyFile & { readonly sha256: string })[];
  /** Were trusted, and are not there any more. */
  readonly gone: readonly string[];
  /** What they would say. */
  readonly profiles: LocatedProfiles['profiles'];
  /** What is wrong with what they say. */
  readonly problems: readonly Problem[];
  /** What they name that fits none of these tools. */
  readonly warnings: LocatedProfiles['warnings'];
}

/** Reads the files as if they were trusted: what is wrong with them has to be known before. */
export async function policyToTrust(place: ProfilesPlace): Promise<PolicyToTrust> {
  // Most commands and the operator's own gate need none of this.
  const { locateProfiles } = await import('./locate-profiles.js');
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

/** What it would be like if every file were trusted as it is. */
export function believing(trust: Trust): Trust {
  return {
    ...trust,
    isTrusted: (_, sha256) => sha256 !== undefined,
    list: () => [],
    problem: () => undefined,
  };
}
