import type { Gateway } from '../gateway/index.js';
import type { Session, Trace } from '../kernel/index.js';

/** What an agent is asked to do, once. Nothing of it is shared with another order. */
export interface AgentOrder {
  readonly gateway: Gateway;
  /** Whose tools the agent has. */
  readonly session: Session;
  readonly prompt: string;
  readonly system?: string;
  /** Of the provider, as its workflow says them. */
  readonly options: Readonly<Record<string, unknown>>;
  /** What was said before, as an earlier answer gave it. */
  readonly conversation?: readonly unknown[];
  /** False: an agent that has tools of its own keeps them. */
  readonly isIsolated?: boolean;
  /** True: the order goes on although a tool of the agent's own ran. */
  readonly allowsNative?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly newRequestId: () => string;
  /** The span that calls belong to. */
  readonly trace?: Trace;
  readonly version: string;
  readonly onEvent: (event: AgentEvent) => void;
}

export interface Usage {
  readonly input: number;
  readonly output: number;
  /** True when the model did not say, and texts were measured instead. */
  readonly isEstimated: boolean;
  /** US dollars, where the price is known. */
  readonly cost?: number;
}

export interface AgentAnswer {
  readonly text: string;
  readonly usage: Usage;
  /** How often the model was asked. */
  readonly turns: number;
  readonly toolCalls: number;
  readonly conversation: readonly unknown[];
}

export type AgentEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'message'; readonly role: 'user' | 'assistant'; readonly text: string }
  /** Told before the call is made. */
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      /** A tool of the agent's own, which it was left. */
      readonly isNative?: true;
    }
  | {
      readonly kind: 'result';
      readonly id: string;
      readonly name: string;
      readonly isError: boolean;
      readonly text: string;
      readonly ms: number;
      readonly isNative?: true;
    }
  /** A tool of the agent's own ran, although it was to have none. */
  | { readonly kind: 'bypass'; readonly name: string; readonly input: unknown; readonly text: string }
  /** A program was found for it, and is about to be started. `verdict`: of its isolation; none where it keeps its tools. */
  | {
      readonly kind: 'launched';
      readonly program: string;
      readonly version?: string;
      readonly verdict?: 'isolated' | 'leaks' | 'unprovable';
    }
  | { readonly kind: 'usage'; readonly usage: Usage }
  /** The model is asked again. Without `waitMs`: nobody says when. */
  | { readonly kind: 'retry'; readonly reason: string; readonly waitMs?: number }
  /** The model has said nothing for so long. */
  | { readonly kind: 'waiting'; readonly ms: number }
  | { readonly kind: 'note'; readonly text: string };

export const agentFailureCodes = [
  'USER.INPUT.VALIDATION_FAILED',
  'USER.MCP_PROXY.INFINITE_LOOP_GUARD',
  'EXECUTION.AGENT.FAILED',
  'EXECUTION.AGENT.UNAVAILABLE',
  'EXECUTION.AGENT.UNAUTHORIZED',
  'EXECUTION.AGENT.CONTEXT_LIMIT',
  'EXECUTION.AGENT.BAD_RESPONSE',
  'EXECUTION.AGENT.UNSUPPORTED',
  'EXECUTION.AGENT.BYPASSED',
  'EXECUTION.WORKFLOW.CANCELLED',
] as const;
export type AgentFailureCode = (typeof agentFailureCodes)[number];

/** Why an agent could not do what it was asked. */
export class AgentFailure extends Error {
  override readonly name = 'AgentFailure';
  readonly code: AgentFailureCode;
  /** What to do about it, where that is known. */
  readonly next: string | undefined;

  constructor(code: AgentFailureCode, message: string, next?: string) {
    super(message);
    this.code = code;
    this.next = next;
  }
}

export type Agent = (order: AgentOrder) => Promise<AgentAnswer>;
