import type { JsonText } from '../lib/json-text.js';
import { type Call, type Outcome, type Request, type Trace, type Wanted, wantedName } from './call.js';
import { type Fault, type FaultCode, faultRow } from './fault.js';
import { type Client, principalKey, type Session } from './session.js';

/** What observers know of an attempt when it begins. Arguments are left out, and texts are redacted. */
export interface Beginning {
  readonly id: string;
  /** For lookups. Records use the redacted texts below. */
  readonly session: Session;
  readonly client: Client;
  readonly sessionId: string;
  readonly principal: string;
  readonly clientName: string | undefined;
  readonly kind: Wanted['kind'];
  /** The name or address of the target, redacted. */
  readonly name: string;
  /** The target as requested. Not redacted: use it for lookups, never in a record. */
  readonly wanted: Wanted;
  /** The tool through which the call was made, such as call_tool. */
  readonly via: string | undefined;
  readonly trace: Trace | undefined;
}

/** What observers know of an attempt when it has ended. Results are left out, and texts are redacted. */
export interface Attempt extends Beginning {
  /** Undefined if the attempt was refused before it became a call. */
  readonly source: string | undefined;
  readonly provider: string | undefined;
  readonly ms: number;
  readonly outcome: Outcome['kind'];
  readonly fault: FaultCode | undefined;
  /** The cause of a fault, redacted. */
  readonly detail: string | undefined;
  /** The tool itself reported an error. */
  readonly isToolError: boolean;
  /** Tidegate refused the attempt, before or after it became a call. */
  readonly isRefused: boolean;
}

/** An attempt that has begun. */
export interface OpenAttempt extends Beginning {
  end(outcome: Outcome, call: Call | undefined, ms: number): Attempt;
}

/** The only place that makes attempts for observers. */
export function beginAttempt(request: Request, redact: (text: string) => string): OpenAttempt {
  return new ObservedAttempt(request, redact);
}

/** One object for the beginning and the end, because one is created for every call. */
class ObservedAttempt implements OpenAttempt, Attempt {
  readonly id: string;
  readonly session: Session;
  readonly client: Client;
  readonly kind: Wanted['kind'];
  readonly name: string;
  readonly wanted: Wanted;
  readonly via: string | undefined;
  readonly trace: Trace | undefined;
  source: string | undefined = undefined;
  provider: string | undefined = undefined;
  ms = 0;
  outcome: Outcome['kind'] = 'content';
  fault: FaultCode | undefined = undefined;
  detail: string | undefined = undefined;
  isToolError = false;
  isRefused = false;
  readonly #redact: (text: string) => string;

  constructor(request: Request, redact: (text: string) => string) {
    this.id = request.id;
    this.session = request.session;
    this.client = request.client;
    this.kind = request.wanted.kind;
    this.name = redact(wantedName(request.wanted));
    this.wanted = request.wanted;
    this.via = request.via;
    this.trace = request.trace;
    this.#redact = redact;
  }

  get sessionId(): string {
    return this.#redact(this.session.id);
  }

  get principal(): string {
    return this.#redact(principalKey(this.session.principal));
  }

  get clientName(): string | undefined {
    const info = this.client.info?.value;
    if (typeof info !== 'object' || info === null || !('name' in info)) return undefined;
    return typeof info.name === 'string' ? this.#redact(info.name) : undefined;
  }

  end(outcome: Outcome, call: Call | undefined, ms: number): Attempt {
    if (call !== undefined) {
      this.source = this.#redact(call.target.spec.source);
      this.provider = this.#redact(call.providerId);
    }
    this.ms = ms;
    this.outcome = outcome.kind;
    if (outcome.kind === 'content') this.isToolError = this.kind === 'tool' && hasIsError(outcome.result);
    if (outcome.kind === 'fault') this.#failed(outcome.fault);
    if (call === undefined) this.isRefused = true;
    return this;
  }

  #failed({ code, detail }: Fault): void {
    this.fault = code;
    this.detail = detail === undefined ? undefined : this.#redact(detail);
    this.isRefused = faultRow(code).isRefusal === true;
  }
}

/** Large results are parsed only if they can contain `isError`. */
function hasIsError(result: JsonText): boolean {
  if (!result.text.includes('"isError"') && !result.text.includes('\\u')) return false;
  const { value } = result;
  return typeof value === 'object' && value !== null && 'isError' in value && value.isError === true;
}

const traceparent = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/;

export function traceIdOf(trace: Trace | undefined): string | undefined {
  return trace && traceparent.exec(trace.traceparent)?.[1];
}
