import {
  type Call,
  createFault,
  type Fault,
  type Provider,
  type Request,
  type Resumption,
  type Target,
  type Wanted,
  wantedName,
} from '../core/index.js';

export interface Found {
  readonly target: Target;
  readonly provider: Provider;
}

/** What a request continues, if anything. */
export interface Continued {
  readonly resumed: boolean;
  readonly answers?: Resumption;
  /** The call that waits here for these answers. */
  readonly parkedId?: string;
}

export type Admission =
  | { readonly ok: true; readonly call: Call; readonly provider: Provider; readonly parkedId?: string }
  | { readonly ok: false; readonly fault: Fault };

/** Turns a request into a call, or returns a fault. The only place where calls are created. */
export function admit(
  request: Request,
  found: Found | 'not_permitted' | undefined,
  { answers, resumed, parkedId }: Continued,
): Admission {
  if (found === undefined) return refused(notFound(request.wanted));
  if (found === 'not_permitted') return refused(notPermitted(request.wanted));
  const parsed = found.provider.parse(found.target, request.params);
  if (!parsed.ok) return refused(parsed.fault);
  const { session, client, params } = request;
  const call = seal({
    requestId: request.id,
    principal: session.principal,
    session,
    client,
    target: found.target,
    providerId: found.provider.id,
    params,
    input: parsed.input,
    ignored: parsed.ignored,
    trace: request.trace,
    answers,
    resumed,
  });
  return { ok: true, call, provider: found.provider, ...(parkedId !== undefined && { parkedId }) };
}

export function refused(fault: Fault): Admission {
  return { ok: false, fault };
}

/** The same call with the answers of another input round. Target, principal and input stay as admitted. */
export function withAnswers(call: Call, answers: Resumption): Call {
  if (!isAdmitted(call)) throw new Error('answers given to a call that was never admitted');
  return seal({ ...call, trace: call.trace, ignored: call.ignored, answers });
}

/** Whether a call came through `admit`. The pipeline checks this before anything reaches a provider. */
export function isAdmitted(call: Call): boolean {
  return SealedCall.isOne(call);
}

function notPermitted(wanted: Wanted): Fault {
  const message = `You can see ${wantedName(wanted)} but are not allowed to call it.`;
  return createFault('tool.not_permitted', message);
}

/** Must be identical for absent and hidden targets. */
function notFound(wanted: Wanted): Fault {
  if (wanted.kind === 'tool') return createFault('tool.not_found', `Unknown tool: ${wanted.name}`);
  if (wanted.kind === 'prompt') return createFault('prompt.not_found', `Unknown prompt: ${wanted.name}`);
  if (wanted.kind === 'resource') return resourceNotFound(wanted.uri);
  if (wanted.of.kind === 'prompt') {
    return createFault('prompt.not_found', `Unknown prompt: ${wanted.of.name}`);
  }
  return resourceNotFound(wanted.of.uriTemplate);
}

function resourceNotFound(uri: string): Fault {
  return createFault('resource.not_found', `Resource not found: ${uri}`, { data: { uri } });
}

type Fields = { readonly [K in keyof Call as K extends string ? K : never]-?: Call[K] | undefined };

const ourKey = Symbol('admit');

function seal(fields: Fields): Call {
  const sealed: object = Object.freeze(new SealedCall(fields, ourKey));
  return sealed as Call;
}

/** Carries a mark that only this file can set. Much cheaper than a set of all admitted calls. */
class SealedCall implements Fields {
  readonly #mark = true;
  readonly requestId: Fields['requestId'];
  readonly principal: Fields['principal'];
  readonly session: Fields['session'];
  readonly client: Fields['client'];
  readonly target: Fields['target'];
  readonly providerId: Fields['providerId'];
  readonly params: Fields['params'];
  readonly input: Fields['input'];
  readonly ignored: Fields['ignored'];
  readonly trace: Fields['trace'];
  readonly answers: Fields['answers'];
  readonly resumed: Fields['resumed'];

  constructor(fields: Fields, key: symbol) {
    // Code that holds a call can also reach its constructor.
    if (key !== ourKey) throw new Error('only admit may create calls');
    this.requestId = fields.requestId;
    this.principal = fields.principal;
    this.session = fields.session;
    this.client = fields.client;
    this.target = fields.target;
    this.providerId = fields.providerId;
    this.params = fields.params;
    this.input = fields.input;
    this.ignored = fields.ignored;
    this.trace = fields.trace;
    this.answers = fields.answers;
    this.resumed = fields.resumed;
  }

  static isOne(value: object): boolean {
    return #mark in value;
  }
}
