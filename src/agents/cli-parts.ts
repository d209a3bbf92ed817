import type { Processes } from '../kernel/index.js';
import type { AgentOrder } from './agent.js';
import type { AgentCli, Environment } from './launch.js';

/** What launching an agent CLI uses of the world. */
export interface CliParts {
  readonly processes: Processes;
  /** Where the agent works. */
  readonly cwd: string;
  /** Files of launches stand here, each launch in a folder of its own that goes with it. */
  readonly folder: string;
  /** A folder that lives as long as the run. */
  readonly keep: (name: string) => string;
  readonly userFile: (path: string) => string | undefined;
  readonly isQuiet?: boolean;
  /** A way into the gate for one launch, with the session of the order. */
  readonly openDoor: (order: AgentOrder, verdict: Verdict) => Promise<Door>;
  /** Finds the CLI, and what is known of its isolation. Throws an AgentFailure where there is no such program. */
  readonly know: (
    cli: AgentCli,
    order: Pick<AgentOrder, 'options' | 'env' | 'signal' | 'onEvent' | 'isIsolated'>,
  ) => Promise<KnownCli>;
}

/** A way into the gate that one process may take, once. */
export interface Door {
  /** What the gate is called on this way. */
  readonly name: string;
  readonly gate: { readonly command: string; readonly args: readonly string[] };
  /** How often it was gone through: 0, until somebody showed the ticket. */
  readonly entered: () => number;
  /** Calls that came this way. */
  readonly calls: () => number;
  close(): Promise<void>;
}

/** What was found when a CLI was tried, with the model that it asked for then. */
export type Verdict = { readonly model?: string } & (
  | { readonly kind: 'isolated'; readonly version: string; readonly growsList: boolean }
  | { readonly kind: 'leaks'; readonly version: string; readonly leaks: readonly string[] }
  | { readonly kind: 'unprovable'; readonly version: string; readonly why: string }
);

export interface KnownCli {
  readonly program: string;
  readonly verdict: Verdict;
}

export interface ProcessPlace {
  readonly processes: Processes;
  readonly cwd: string;
  readonly env: Environment;
}
