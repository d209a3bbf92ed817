import type { Config, Environment, Problem } from '../config/index.js';
import type { Gateway } from '../gateway/index.js';
import type { LocatedPlugins } from '../config/plugins/index.js';
import type { OpenSpanFor, Session, SessionScope } from '../core/index.js';
import type { Plugins } from '../ports/plugins.js';
import type { Processes } from '../ports/processes.js';
import type { Shell } from '../ports/shell.js';
import type { ToolModule } from '../ports/tool-module.js';
import type { WorkspaceReport } from '../providers/local/index.js';
import type { OpenedAccess } from './access/open-access.js';
import type { OpenedExposure } from './open-exposure.js';
import type { Serving } from './serving.js';
import type { SubSession } from './access/sub-sessions.js';

export interface TidegateOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly version: string;
  /** A file to read instead of the nearest `tidegate.yaml`. */
  readonly configFile?: string;
  /** `stdio` and `http` watch the configuration file; `command` reads it once. */
  readonly mode: 'stdio' | 'http' | 'command';
  readonly logLevel?: Config['log']['level'];
  /** Log file if the configuration names none. */
  readonly logFile?: string;
  /** Tools of the embedding program, in addition to those of the configured servers. */
  readonly tools?: readonly ToolModule[];
  /** Names and patterns. Tools that match none of them do not exist for any caller. */
  readonly toolPatterns?: readonly string[];
  /** The principal of local sessions instead of the operator, such as `agent:alice`. */
  readonly as?: string;
  /** Limits every session to this profile. */
  readonly profile?: string;
  /** Opens the access store even if only the operator calls, to read or change access rules. */
  readonly withRights?: true;
}

/** A running gateway. */
export interface Tidegate extends Serving {
  readonly gateway: Gateway;
  readonly config: Config;
  readonly problems: readonly Problem[];
  readonly access: OpenedAccess;
  readonly exposure: OpenedExposure;
  readonly trust: { readonly file?: string; readonly sha256?: string; readonly isTrusted: boolean };
  /** The state of the workspace tool files. */
  workspaceTools(): readonly WorkspaceReport[];
  /** Plugin functions other than tools. */
  readonly plugins: Plugins;
  /** Every plugin found, including those that may not run. */
  locatedPlugins(): LocatedPlugins;
  /** One line for each of the `toolPatterns` that matches no known tool. */
  idlePatterns(): readonly string[];
  /** A session of the operator, or of the principal given with `as`. */
  localSession(scope: SessionScope): Session;
  /** A session for a sub-agent. It never has more access than its parent, even if the parent loses access later. */
  readonly subSession: SubSession;
  /** Runs commands like `Bash` in that session. */
  shellFor(session: Session): Promise<Shell>;
  newRequestId(): string;
  /** Opens another, independent gateway. */
  openBeside(options: TidegateOptions): Promise<Tidegate>;
  /** Child processes that end with the gateway. */
  readonly processes: Processes;
  readonly openSpan?: OpenSpanFor;
  readonly stateDirectory: string;
  close(): Promise<void>;
}

export type OpenTidegate = (options: TidegateOptions) => Promise<Tidegate>;
