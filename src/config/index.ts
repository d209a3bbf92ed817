// The CLI may import only this module, so helpers for printing untrusted text are re-exported here.
export { nearest } from '../lib/nearest.js';
export { printable, printableJson, printableLines, withoutLongWords } from '../lib/printable.js';
export { shellWord } from '../lib/shell-word.js';
export { type ProblemCode, problemCodes } from './codes.js';
export type {
  Config,
  ServerConfig,
} from './config.js';
export { childEnvironment } from './environment.js';
export { type ChildProgram, type ChildStart, childStart } from './child-start.js';
export {
  configHomes,
  configNames,
  configPaths,
  findConfig,
  isConfigFile,
  operatorConfig,
  operatorFolder,
  operatorPaths,
  workflowHomes,
} from './find.js';
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
export { dataHome, mayHavePlugins, pluginLists } from './plugins/directories.js';
export { hashedPath, serverRecordName } from './started/record-names.js';
export { createProblem, describeProblem, hasErrors, type Problem } from './problem.js';
export { problemInFile } from './problem-in-file.js';
export { openSecrets, type Secrets } from './secrets.js';
export { openSourceReader } from './source-reader.js';
export { openShapeMemory, type ShapeMemory } from './shape-memory.js';
export { homeProblem, prepareStateDirectory } from './state-directory.js';
export { stateDirectory } from './state-path.js';
export type { Environment } from './substitute.js';
export { telemetryFromEnvironment } from './telemetry-environment.js';
export { openTrust, type Trust } from './trust.js';
export type { TrustRecord } from './trust-file.js';
export { ownName } from './source-file.js';
export { watchConfig } from './watch.js';
export type { Risk } from './field.js';
export type { WrittenKey, WrittenValue } from './written-keys.js';
export { withNpxOutside } from './npx-start.js';
export { withPythonCache } from './python-cache.js';
export { createWritableRule, writablePlaceOf } from './writable-paths.js';
export type { NewServer } from './add-servers.js';
export { childBaseNames } from './environment.js';
export { homeOf } from './state-path.js';
