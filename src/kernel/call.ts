import type { Fault } from './fault.js';
import type { JsonText } from './json-text.js';
import type { Client, Principal, Session } from './session.js';
import type { PromptSpec, ResourceSpec, TemplateSpec, ToolSpec } from './tool.js';

/** What a caller asks for, in its own words. Nothing of it is believed. */
export type Wanted =
  | { readonly kind: 'tool'; readonly name: string }
  | { readonly kind: 'prompt'; readonly name: string }
  | { readonly kind: 'resource'; readonly uri: string }
  | { readonly kind: 'completion'; readonly of: CompletionSubject };

export type CompletionSubject =
  | { readonly kind: 'prompt'; readonly name: string }
  | { readonly kind: 'template'; readonly uriTemplate: string };

/** The answers that a caller of the modern era brings back, with the state it was given. */
export interface Resumption {
  readonly responses: JsonText;
  readonly state?: string;
}

export interface Trace {
  readonly traceparent: string;
  readonly tracestate?: string;
}

export interface Request {
  /** Ours, unique, in every log line and span. */
  readonly id: string;
  readonly session: Session;
  readonly client: Client;
  readonly wanted: Wanted;
  /** The params as sent, for lossless forwarding. */
  readonly params: JsonText;
  readonly resume?: Resumption;
  readonly trace?: Trace;
  /** The tool that the caller used to make this call, where it did not make it itself. */
  readonly via?: string;
}

/** What was found for the caller: a definition that is visible and callable for this session. */
export type Target =
  | { readonly kind: 'tool'; readonly spec: ToolSpec }
  | { readonly kind: 'prompt'; readonly spec: PromptSpec }
  | { readonly kind: 'resource'; readonly uri: string; readonly spec: ResourceSpec | TemplateSpec }
  | { readonly kind: 'completion'; readonly spec: PromptSpec | TemplateSpec };

declare const admitted: unique symbol;

/** An admitted request. Only the gateway's `admit` makes one, and it is frozen. */
export interface Call {
  readonly [admitted]: true;
  readonly requestId: string;
  readonly principal: Principal;
  readonly session: Session;
  readonly client: Client;
  readonly target: Target;
  readonly providerId: string;
  /** The params as sent. */
  readonly params: JsonText;
  /** What the provider's `parse` made of the arguments. */
  readonly input: unknown;
  readonly trace?: Trace;
  /** Answers to what the provider asked in an earlier round. */
  readonly answers?: Resumption;
  /** True when this continues a call that was approved and charged before. */
  readonly resumed: boolean;
}

export type Outcome =
  | { readonly kind: 'content'; readonly result: JsonText }
  /** The provider must know more: `questions` maps keys to {method, params}; `state` is the provider's own. */
  | { readonly kind: 'asks'; readonly questions: JsonText; readonly state?: string }
  | { readonly kind: 'fault'; readonly fault: Fault };

export interface Attempt {
  readonly request: Request;
  readonly call?: Call;
  readonly outcome: Outcome;
  readonly ms: number;
}

/** The name of what was wanted, for people. */
export function wantedName(wanted: Wanted): string {
  if (wanted.kind === 'resource') return wanted.uri;
  if (wanted.kind !== 'completion') return wanted.name;
  return wanted.of.kind === 'prompt' ? wanted.of.name : wanted.of.uriTemplate;
}

/** Whether the tool says of itself that it failed. A large result is read only if it can say so. */
export function isToolError({ request, outcome }: Pick<Attempt, 'request' | 'outcome'>): boolean {
  if (request.wanted.kind !== 'tool' || outcome.kind !== 'content') return false;
  const { text } = outcome.result;
  if (!text.includes('"isError"') && !text.includes('\\u')) return false;
  const { value } = outcome.result;
  return typeof value === 'object' && value !== null && 'isError' in value && value.isError === true;
}

export function faulted(fault: Fault): Outcome {
  return { kind: 'fault', fault };
}

export function content(result: JsonText): Outcome {
  return { kind: 'content', result };
}
