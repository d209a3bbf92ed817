export { type Flaw, hasWildcard, type IsBuiltin, parseTarget, targetObject } from './entry.js';
export type {
  Entry,
  EntryEffect,
  EntryTarget,
  PrincipalRule,
  PrincipalSource,
  Profile,
  ProfileEntry,
  ProfileProblem,
  ProfileProblemCode,
  Profiles,
  ProfileSource,
} from './profile.js';
export { principalTuples, profileTuples } from './profile-tuples.js';
export { type KnownTool, profileWarnings } from './profile-warnings.js';
export { type ResolveOptions, resolveProfiles } from './resolve-profiles.js';
export { noProfile, shippedDefault, shippedProfiles } from './shipped.js';
