import type { Agent, AgentEvent } from '../../agents/index.js';
import type { Gateway } from '../../gateway/index.js';
import type { OpenSpanFor, Session } from '../../core/index.js';
import type { Plugins } from '../../ports/plugins.js';
import type { Processes } from '../../ports/processes.js';
import type { Shell } from '../../ports/shell.js';
import type { ProviderName } from '../grammar/providers.js';
import type { Library } from '../library.js';
import type { StepResult } from './result.js';

/** What the session of an agent step may use: tool names, patterns and a limiting profile. */
export interface SessionOptions {
  readonly run: string;
  readonly step: string;
  readonly tools: readonly string[];
  readonly profile?: string;
  readonly lazy?: 'auto' | 'on' | 'off';
  readonly inheritActive?: boolean;
}

/** Single-use tickets for sessions. */
export interface Tickets {
  issue(options: SessionOptions): Promise<string>;
  /** Undefined if the ticket was never issued or is already used. */
  redeem(ticket: string): Session | undefined;
}

export type RunEvent =
  | { readonly kind: 'run-started'; readonly run: string; readonly name: string; readonly isResumed: boolean }
  | { readonly kind: 'step-started'; readonly path: string; readonly type: string; readonly attempt: number }
  /** `isReplayed`: an earlier process ran the step. */
  | {
      readonly kind: 'step-ended';
      readonly path: string;
      readonly result: StepResult;
      readonly isReplayed: boolean;
    }
  | { readonly kind: 'agent'; readonly path: string; readonly event: AgentEvent }
  | {
      readonly kind: 'output';
      readonly path: string;
      readonly stream: 'stdout' | 'stderr';
      readonly text: string;
    }
  | { readonly kind: 'log'; readonly path: string; readonly text: string; readonly isWarning: boolean };

/** Everything a run needs from outside. */
export interface RunParts {
  readonly library: Library;
  /** Whether the files of the run are still the trusted ones. Absent: the caller does not need trust. */
  readonly isStillTrusted?: () => Promise<boolean>;
  /** An agent started the run: no step may use tools that bypass the gateway. */
  readonly isForAgent?: boolean;
  /** Whether the caller that started the run may use a step type of a plugin. Absent: the operator started it. */
  readonly mayRunStep?: (plugin: string, stepType: string) => Promise<boolean>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly processes: Processes;
  /** Runs commands for a run started by an agent. Absent: commands run with the rights of the operator. */
  readonly sandbox?: Pick<Shell, 'stream'>;
  readonly gateway: Gateway;
  /** Session of the caller that started the run. */
  readonly session: Session;
  readonly tickets: Tickets;
  readonly plugins: Plugins;
  readonly agents: Readonly<Partial<Record<ProviderName, Agent>>>;
  /** Opens spans for runs and steps; absent if tracing is off. */
  readonly openSpan?: OpenSpanFor;
  readonly redact: (value: unknown) => unknown;
  /** Folder with the files of the run. */
  readonly folder: string;
  readonly version: string;
  readonly newRequestId: () => string;
  readonly identity: { readonly user: string; readonly hostname: string };
  readonly now: () => number;
  readonly onEvent: (event: RunEvent) => void;
  /** Asks the person at the terminal; undefined without a terminal. */
  readonly ask?: (question: string) => Promise<string>;
}
