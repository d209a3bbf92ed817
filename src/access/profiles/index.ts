export { parseTarget, targetObject } from './entry.js';
export type {
  EntryTarget,
  PrincipalSource,
  Profile,
  ProfileEntry,
  ProfileProblem,
  Profiles,
  ProfileSource,
} from './profile.js';
export { principalTuples, profileTuples } from './profile-tuples.js';
export { type KnownTool, profileWarnings } from './profile-warnings.js';
export { type ResolveOptions, resolveProfiles } from './resolve-profiles.js';
export { noProfile, shippedProfiles } from './shipped.js';
