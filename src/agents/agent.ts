import type { Gateway } from '../gateway/index.js';
import type { Session, Trace } from '../core/index.js';

/** One task for an agent. Orders share nothing. */
export interface AgentOrder {
  readonly gateway: Gateway;
  /** The session that provides the agent's tools. */
  readonly session: Session;
  readonly prompt: string;
  readonly system?: string;
  /** Provider options from the workflow. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The earlier conversation, as returned by a previous answer. */
  readonly conversation?: readonly unknown[];
  /** False: the agent keeps its own tools. */
  readonly isIsolated?: boolean;
  /** True: the order continues even if the agent used its own tools. */
  readonly allowsNative?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly newRequestId: () => string;
  /** Parent span of the agent's calls. */
  readonly trace?: Trace;
  readonly version: string;
  readonly onEvent: (event: AgentEvent) => void;
}

export interface Usage {
  readonly input: number;
  readonly output: number;
  /** True if the model reported no usage and it was estimated from text length. */
  readonly isEstimated: boolean;
  /** US dollars, if the price is known. */
  readonly cost?: number;
}

export interface AgentAnswer {
  readonly text: string;
  readonly usage: Usage;
  /** Number of requests to the model. */
  readonly turns: number;
  readonly toolCalls: number;
  readonly conversation: readonly unknown[];
}

export type AgentEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'message'; readonly role: 'user' | 'assistant'; readonly text: string }
  /** Sent before the call is made. */
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      /** The agent's own tool, which it was allowed to keep. */
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
      /** The agent's own permissions denied the call. */
      readonly isRefused?: true;
    }
  /** The agent used its own tool although it should have none. */
  | { readonly kind: 'bypass'; readonly name: string; readonly input: unknown; readonly text: string }
  /** The program was found and is about to start. `verdict`: isolation result; absent if the agent keeps its tools. */
  | {
      readonly kind: 'launched';
      readonly program: string;
      readonly version?: string;
      readonly verdict?: 'isolated' | 'leaks' | 'unprovable';
    }
  | { readonly kind: 'usage'; readonly usage: Usage }
  /** The model request is retried. Without `waitMs`, the delay is unknown. */
  | { readonly kind: 'retry'; readonly reason: string; readonly waitMs?: number }
  /** How long the model has been silent. */
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

/** Why an agent could not complete its task. */
export class AgentFailure extends Error {
  override readonly name = 'AgentFailure';
  readonly code: AgentFailureCode;
  /** What to do about it, if known. */
  readonly next: string | undefined;

  constructor(code: AgentFailureCode, message: string, next?: string) {
    super(message);
    this.code = code;
    this.next = next;
  }
}

export type Agent = (order: AgentOrder) => Promise<AgentAnswer>;
