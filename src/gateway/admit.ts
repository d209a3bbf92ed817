import {
  type Call,
  createFault,
  type Fault,
  type Provider,
  type Request,
  type Resumption,
  type Target,
  type Wanted,
} from '../kernel/index.js';

const admittedCalls = new WeakSet<Call>();

export interface Found {
  readonly target: Target;
  readonly provider: Provider;
}

export type Admission =
  | { readonly ok: true; readonly call: Call; readonly provider: Provider }
  | { readonly ok: false; readonly fault: Fault };

/** Turns a request into a call, or says why not. The only place where calls are made. */
export function admit(
  request: Request,
  find: (wanted: Wanted) => Found | undefined,
  continued: { readonly answers?: Resumption; readonly resumed: boolean },
): Admission {
  const found = find(request.wanted);
  if (found === undefined) return { ok: false, fault: notFound(request.wanted) };
  const parsed = found.provider.parse(found.target, request.params);
  if (!parsed.ok) return { ok: false, fault: parsed.fault };
  const call = {
    requestId: request.id,
    principal: request.session.principal,
    session: request.session,
    client: request.client,
    target: found.target,
    providerId: found.provider.id,
    params: request.params,
    input: parsed.input,
    resumed: continued.resumed,
    ...(request.trace && { trace: request.trace }),
    ...(continued.answers && { answers: continued.answers }),
  } as Call;
  admittedCalls.add(Object.freeze(call));
  return { ok: true, call, provider: found.provider };
}

/** The same call with the answers of another round: still the admitted target, principal and input. */
export function withAnswers(call: Call, answers: Resumption): Call {
  if (!isAdmitted(call)) throw new Error('answers were offered to a call that was never admitted');
  const next = Object.freeze({ ...call, answers });
  admittedCalls.add(next);
  return next;
}

/** Whether a call came through `admit`. The corridor asks before it lets anything reach a provider. */
export function isAdmitted(call: Call): boolean {
  return admittedCalls.has(call);
}

/** Identical for what does not exist and for what is hidden. */
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
