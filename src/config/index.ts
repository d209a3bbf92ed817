// The command line may enter this room only, and shows what files and servers say.
export { nearest, printable, printableJson, printableLines, withoutLongWords } from '../kernel/index.js';
export { type ProblemCode, problemCodes } from './codes.js';
export type {
  Config,
  ServerConfig,
} from './config.js';
export { childEnvironment } from './environment.js';
export { findConfig, operatorConfig, operatorFolder, workflowHomes } from './find.js';
export { findPolicy, policyFiles, watchProfiles } from './find-policy.js';
export { isLoopbackHost } from './formats.js';
export { configJsonSchema } from './json-schema.js';
export { defaultConfig, type LoadedConfig, loadConfig } from './load.js';
export { type LoadedProfiles, loadProfiles } from './load-profiles.js';
export {
  type LocatedModel,
  type LocatedPolicy,
  locatePolicy,
  recordedPolicy,
} from './locate-policy.js';
export { mayHavePlugins } from './plugins/directories.js';
export { createProblem, describeProblem, hasErrors, type Problem } from './problem.js';
export { problemInFile } from './problem-in-file.js';
export { openSecrets, type Secrets } from './secrets.js';
export { openSourceReader } from './source-reader.js';
export { withFileLock, withLongFileLock } from './file-lock.js';
export { openShapeMemory, type ShapeMemory } from './shape-memory.js';
export { homeProblem, prepareStateDirectory } from './state-directory.js';
export { stateDirectory } from './state-path.js';
export type { Environment } from './substitute.js';
export { telemetryFromEnvironment } from './telemetry-environment.js';
export { openTrust, type Trust } from './trust.js';
export { watchConfig } from './watch.js';
