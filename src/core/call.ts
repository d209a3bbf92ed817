import type { Fault } from './fault.js';
import type { JsonText } from '../lib/json-text.js';
import type { Client, Principal, Session } from './session.js';
import type { PromptSpec, ResourceSpec, TemplateSpec, ToolSpec } from './tool.js';

/** What a caller asks for. Untrusted input. */
export type Wanted =
  | { readonly kind: 'tool'; readonly name: string }
  | { readonly kind: 'prompt'; readonly name: string }
  | { readonly kind: 'resource'; readonly uri: string }
  | { readonly kind: 'completion'; readonly of: CompletionSubject };

export type CompletionSubject =
  | { readonly kind: 'prompt'; readonly name: string }
  | { readonly kind: 'template'; readonly uriTemplate: string };

/** The answers that a client sends in multi-round input, with the state it received. */
export interface Resumption {
  readonly responses: JsonText;
  readonly state?: string;
}

export interface Trace {
  readonly traceparent: string;
  readonly tracestate?: string;
}

export interface Request {
  /** Unique, assigned by the gateway, and part of every log line and span. */
  readonly id: string;
  readonly session: Session;
  readonly client: Client;
  readonly wanted: Wanted;
  /** The params as received, for lossless forwarding. */
  readonly params: JsonText;
  readonly resume?: Resumption;
  readonly trace?: Trace;
  /** The tool through which the call was made, such as call_tool. */
  readonly via?: string;
}

/** A definition that this session can see and call. */
export type Target =
  | { readonly kind: 'tool'; readonly spec: ToolSpec }
  | { readonly kind: 'prompt'; readonly spec: PromptSpec }
  | { readonly kind: 'resource'; readonly uri: string; readonly spec: ResourceSpec | TemplateSpec }
  | { readonly kind: 'completion'; readonly spec: PromptSpec | TemplateSpec };

declare const admitted: unique symbol;

/** An admitted request, frozen. Only the gateway's `admit` creates one. */
export interface Call {
  readonly [admitted]: true;
  readonly requestId: string;
  readonly principal: Principal;
  readonly session: Session;
  readonly client: Client;
  readonly target: Target;
  readonly providerId: string;
  /** The params as received. */
  readonly params: JsonText;
  /** The arguments as parsed by the provider. */
  readonly input: unknown;
  /** Unknown arguments that the provider ignored. */
  readonly ignored?: readonly string[];
  readonly trace?: Trace;
  /** Answers to questions from an earlier round. */
  readonly answers?: Resumption;
  /** True when this continues a call that was already approved and counted. */
  readonly resumed: boolean;
}

export type Outcome =
  | { readonly kind: 'content'; readonly result: JsonText }
  /** The provider needs input: `questions` maps keys to {method, params}; `state` belongs to the provider. */
  | { readonly kind: 'asks'; readonly questions: JsonText; readonly state?: string }
  | { readonly kind: 'fault'; readonly fault: Fault };

/** The target's name for messages. */
export function wantedName(wanted: Wanted): string {
  if (wanted.kind === 'resource') return wanted.uri;
  if (wanted.kind !== 'completion') return wanted.name;
  return wanted.of.kind === 'prompt' ? wanted.of.name : wanted.of.uriTemplate;
}

export function faulted(fault: Fault): Outcome {
  return { kind: 'fault', fault };
}

export function content(result: JsonText): Outcome {
  return { kind: 'content', result };
}

/** Arguments that clients add to every call: Gemini CLI sends this one for its own scheduler. */
export const clientAdditions: ReadonlySet<string> = new Set(['wait_for_previous']);
