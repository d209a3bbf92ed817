import type { Config, Environment, Problem } from '../config/index.js';
import type { Gateway } from '../gateway/index.js';
import type { LocatedPlugins } from '../config/plugins/index.js';
import type { OpenSpanFor, Plugins, Processes, Session, SessionScope, ToolModule } from '../kernel/index.js';
import type { WorkspaceReport } from '../providers/local/index.js';
import type { OpenedAccess } from './open-access.js';
import type { OpenedSurface } from './open-surface.js';
import type { Serving } from './serving.js';
import type { SubSession } from './sub-sessions.js';

export interface TidegateOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly version: string;
  /** A file to read instead of the nearest `tidegate.yaml`. */
  readonly configFile?: string;
  /** `stdio` and `http` follow the configuration file while they run; `command` reads it once. */
  readonly mode: 'stdio' | 'http' | 'command';
  readonly logLevel?: Config['log']['level'];
  /** Where the log goes when the configuration names no file. */
  readonly logFile?: string;
  /** Tools of the embedding program, beside those of the configured servers. */
  readonly tools?: readonly ToolModule[];
  /** Names and patterns: whatever they do not name does not exist for anybody. */
  readonly toolPatterns?: readonly string[];
  /** Whom local sessions act as, in the place of the operator: `agent:alice`. */
  readonly as?: string;
  /** A profile that nobody at this gate goes beyond. */
  readonly profile?: string;
  /** Opens the store of rights, also where nobody but the operator calls: for whoever looks at them or changes them. */
  readonly withRights?: true;
}

/** A running gate. */
export interface Tidegate extends Serving {
  readonly gateway: Gateway;
  readonly config: Config;
  readonly problems: readonly Problem[];
  readonly access: OpenedAccess;
  readonly surface: OpenedSurface;
  readonly trust: { readonly file?: string; readonly sha256?: string; readonly isTrusted: boolean };
  /** How the tool files of the workspace are doing. */
  workspaceTools(): readonly WorkspaceReport[];
  /** What plugins do beside being tools. */
  readonly plugins: Plugins;
  /** Every plugin of this place, those that may not run too. */
  locatedPlugins(): LocatedPlugins;
  /** One line for each of the `toolPatterns` that names nothing of what is known now. */
  idlePatterns(): readonly string[];
  /** Of the operator, or of whom the gate was told to act as. */
  localSession(scope: SessionScope): Session;
  /** For a sub-agent in this process. It can do no more than its parent, also when that has less one day. */
  readonly subSession: SubSession;
  newRequestId(): string;
  /** Another gate, which has nothing of this one. */
  openBeside(options: TidegateOptions): Promise<Tidegate>;
  /** Children that end with the gate. */
  readonly processes: Processes;
  readonly openSpan?: OpenSpanFor;
  readonly stateDirectory: string;
  close(): Promise<void>;
}
