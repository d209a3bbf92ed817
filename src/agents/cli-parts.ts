import type { Processes } from '../ports/processes.js';
import type { AgentOrder } from './agent.js';
import type { AgentCli, Environment } from './launch.js';

/** External dependencies for starting an agent CLI. */
export interface CliParts {
  readonly processes: Processes;
  /** Working directory of the agent. */
  readonly cwd: string;
  /** Parent folder for launch files. Each launch has its own folder, removed afterwards. */
  readonly folder: string;
  /** Returns a folder that is kept until the end of the run. */
  readonly keep: (name: string) => string;
  readonly userFile: (path: string) => string | undefined;
  readonly isQuiet?: boolean;
  /** Opens an agent socket for one launch, bound to the session of the order. */
  readonly openSocket: (order: AgentOrder, verdict: Verdict) => Promise<AgentSocket>;
  /** Finds the CLI and its isolation result. Throws an AgentFailure if the program does not exist. */
  readonly know: (
    cli: AgentCli,
    order: Pick<AgentOrder, 'options' | 'env' | 'signal' | 'onEvent' | 'isIsolated'>,
  ) => Promise<KnownCli>;
}

/** An agent socket that one process may use once. */
export interface AgentSocket {
  /** Server name of the gateway for this launch. */
  readonly name: string;
  readonly gatewayCommand: { readonly command: string; readonly args: readonly string[] };
  /** Number of connections: 0 until a client presents the ticket. */
  readonly entered: () => number;
  /** Number of calls through this socket. */
  readonly calls: () => number;
  close(): Promise<void>;
}

/** Result of an isolation test, with the model the CLI asked for. */
export type Verdict = { readonly model?: string } & (
  | { readonly kind: 'isolated'; readonly version: string; readonly growsList: boolean }
  | { readonly kind: 'leaks'; readonly version: string; readonly leaks: readonly string[] }
  | { readonly kind: 'unprovable'; readonly version: string; readonly why: string }
);

export interface KnownCli {
  readonly program: string;
  /** Start environment: the user's, with a PATH that contains no project folders. */
  readonly env: Environment;
  readonly verdict: Verdict;
}

export interface ProcessPlace {
  readonly processes: Processes;
  readonly cwd: string;
  readonly env: Environment;
}
