export type { ProblemCode } from './codes.js';
export type {
  Config,
  HttpConfig,
  HttpServerConfig,
  LogConfig,
  ServerConfig,
  StdioServerConfig,
  TelemetryConfig,
  WorkspaceConfig,
} from './config.js';
export { childEnvironment } from './environment.js';
export { findConfig, operatorConfig } from './find.js';
export { isLoopbackHost } from './formats.js';
export { configJsonSchema } from './json-schema.js';
export { defaultConfig, type LoadedConfig, type LoadOptions, loadConfig } from './load.js';
export { describeProblem, hasErrors, type Problem } from './problem.js';
export { prepareStateDirectory, stateDirectory } from './state-directory.js';
export type { Environment } from './substitute.js';
export { telemetryFromEnvironment } from './telemetry-environment.js';
export { createToolFilter } from './tool-filter.js';
export { openTrust, type Trust } from './trust.js';
export type { TrustRecord } from './trust-file.js';
export { type ConfigWatch, watchConfig } from './watch.js';
