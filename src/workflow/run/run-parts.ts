import type { Agent, AgentEvent } from '../../agents/index.js';
import type { Gateway } from '../../gateway/index.js';
import type { OpenSpanFor, Plugins, Processes, Session } from '../../kernel/index.js';
import type { ProviderName } from '../grammar/providers.js';
import type { Library } from '../library.js';
import type { StepResult } from './result.js';

/** What the sessions of agent steps are made of: names and patterns of tools, and a profile to stay within. */
export interface SessionWish {
  readonly run: string;
  readonly step: string;
  readonly tools: readonly string[];
  readonly profile?: string;
  readonly lazy?: 'auto' | 'on' | 'off';
  readonly inheritActive?: boolean;
}

/** Tickets for sessions. One buys one session, once. */
export interface Tickets {
  issue(wish: SessionWish): Promise<string>;
  /** Undefined: never issued, or used already. */
  redeem(ticket: string): Session | undefined;
}

export type RunEvent =
  | { readonly kind: 'run-started'; readonly run: string; readonly name: string; readonly isResumed: boolean }
  | { readonly kind: 'step-started'; readonly path: string; readonly type: string; readonly attempt: number }
  /** `isReplayed`: it was done by an earlier process. */
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

/** Everything that a run uses of the world around it. */
export interface RunParts {
  readonly library: Library;
  /** Whether the files of the run are still what was trusted. Absent: whoever runs it need not trust it. */
  readonly isStillTrusted?: () => Promise<boolean>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly processes: Processes;
  readonly gateway: Gateway;
  /** Of the one who started the run. */
  readonly session: Session;
  readonly tickets: Tickets;
  readonly plugins: Plugins;
  readonly agents: Readonly<Partial<Record<ProviderName, Agent>>>;
  /** Spans of runs and steps; absent where nobody collects them. */
  readonly openSpan?: OpenSpanFor;
  readonly redact: (value: unknown) => unknown;
  /** Where the files of the run are. */
  readonly folder: string;
  readonly version: string;
  readonly newRequestId: () => string;
  readonly identity: { readonly user: string; readonly hostname: string };
  readonly now: () => number;
  readonly onEvent: (event: RunEvent) => void;
  /** Asks the person at the terminal; undefined where there is none. */
  readonly ask?: (question: string) => Promise<string>;
}
