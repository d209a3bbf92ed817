import { type Access, withoutOperations } from '../access/index.js';
import {
  type Call,
  type Client,
  createFault,
  type Exchange,
  type Fault,
  faulted,
  type Interceptor,
  type Observer,
  type Outcome,
  type Provider,
  type Request,
  type Resumption,
  type Session,
  type ToolSpec,
  type Wanted,
} from '../core/index.js';
import type { Cancellation } from '../lib/cancellation.js';
import type { JsonText } from '../lib/json-text.js';
import { callToolName, type Exposure } from '../exposure/index.js';
import { admit } from './admit.js';
import { isCallTool, throughCallTool, toldByCallTool } from './call-tool.js';
import { createPipeline, describeError } from './pipeline.js';
import { openRegistry, type Registry } from './registry.js';
import { callWithLiveAsks } from './live-asks.js';
import type { NameClaims } from './name-claims.js';
import { readQuestions, unanswerable } from './questions.js';
import { openMultiRound } from './multi-round.js';
import { createStateSeal, type StateSeal } from './state-seal.js';
import { type Rights, whileAllowed } from './while-allowed.js';
import { withSteps } from './with-steps.js';

export interface GatewayParts {
  readonly providers: readonly Provider[];
  readonly access: Access;
  readonly exposure: Exposure;
  readonly interceptors: readonly Interceptor[];
  readonly observers: readonly Observer[];
  readonly now: () => number;
  /** Called once when a session ends, to release what belongs to it. */
  readonly onLeave?: (session: Session) => void;
  /** Describes invalid arguments, for callers that may not know the schema. */
  readonly checkArguments?: (tool: ToolSpec, params: JsonText) => readonly string[];
  /** Which provider had which name first. Default: kept in memory. */
  readonly claims?: NameClaims;
  /** Called when the set of dropped names changes. */
  readonly onCollisions?: () => void;
  /** Must be the same in all replicas. Default: random. */
  readonly seal?: StateSeal;
}

/** The only way to tools, prompts and resources. */
export interface Gateway {
  /** What exists, and what a session sees of it. */
  readonly registry: Registry;
  call(request: Request, exchange: Exchange): Promise<Outcome>;
  /** Ends the session and everything that belongs to it. */
  leave(session: Session): void;
  close(): Promise<void>;
}

export function openGateway(parts: GatewayParts): Gateway {
  const registry = openRegistry({ ...parts, access: withoutOperations(parts.access) });
  const pipeline = createPipeline(parts.interceptors);
  const seal = parts.seal ?? createStateSeal(parts.now);
  const multiRound = openMultiRound(seal);

  function findFor(session: Session, wanted: Wanted): ReturnType<Parameters<typeof admit>[1]> {
    const isSeen = wanted.kind === 'tool' && registry.describe(session, wanted.name) !== undefined;
    return registry.find(session, wanted) ?? (isSeen ? 'not_permitted' : undefined);
  }

  function rightsTo({ session, wanted }: Request): Rights {
    return {
      async isAllowed() {
        await registry.refresh(session);
        return registry.find(session, wanted) !== undefined;
      },
      onChange: (listener) => parts.access.onChange(listener),
    };
  }

  async function carry(
    request: Request,
    exchange: Exchange,
    continued: Continued,
    seen: Seen,
  ): Promise<Outcome> {
    const settling = registry.settleFor(request.session, request.wanted);
    if (settling !== undefined) await settling;
    // Refresh right before the check: a revoked right must not let the call through.
    const refreshing = registry.refresh(request.session);
    if (refreshing !== undefined) await refreshing;
    const admission = admit(request, (wanted) => findFor(request.session, wanted), continued);
    if (!admission.ok) return faulted(admission.fault);
    const { call, provider } = admission;
    seen.call = call;
    const problem = used(request, call);
    if (problem !== undefined) return faulted(problem);
    if (continued.parkedId !== undefined) {
      return sealed(
        request,
        await multiRound.resume(request, exchange, continued.parkedId, continued.responses),
      );
    }
    const start = (live: Exchange): Promise<Outcome> =>
      whileAllowed(live, rightsTo(request), (guarded) =>
        pipeline(call, guarded, (wrapped) =>
          untilCancelled(wrapped, () =>
            wrapped.asking === 'live'
              ? callWithLiveAsks(provider, call, wrapped)
              : callMultiRound(provider, call, wrapped),
          ),
        ),
      );
    if (exchange.asking === 'live') return start(exchange);
    return sealed(request, await multiRound.run(request, exchange, start));
  }

  /** Activates the tool on use; includes its schema in errors if the client has not seen it. */
  function used(request: Request, { target }: Call): Fault | undefined {
    if (target.kind !== 'tool' || target.spec.reach === 'workflow') return undefined;
    const { session, client, via } = request;
    const visible = registry.visibleTools(session);
    const isUnread = via !== undefined || parts.exposure.isDeferred(session, target.spec, visible, client);
    parts.exposure.called(session, target.spec, visible, client);
    const issues = isUnread ? (parts.checkArguments?.(target.spec, request.params) ?? []) : [];
    return issues.length > 0 ? unreadSchema(target.spec, issues) : undefined;
  }

  /** Seals the state of an upstream. The state of a parked call is sealed already. */
  function sealed(request: Request, outcome: Outcome): Outcome {
    if (outcome.kind !== 'asks' || isSealed(request, outcome.state)) return outcome;
    const state = seal.close(request, {
      kind: 'upstream',
      ...(outcome.state !== undefined && { state: outcome.state }),
    });
    return { ...outcome, state };
  }

  function isSealed(request: Request, state: string | undefined): boolean {
    if (state === undefined) return false;
    const opened = seal.open(request, state);
    return opened.ok && opened.state.kind === 'parked';
  }

  async function attempt(request: Request, exchange: Exchange, seen: Seen): Promise<Outcome> {
    try {
      const continued = continuation(seal, request);
      return 'fault' in continued
        ? faulted(continued.fault)
        : await carry(request, exchange, continued, seen);
    } catch (error) {
      const detail = describeError(error);
      return faulted(
        createFault('internal', 'Tidegate failed to run this call because of an internal error.', { detail }),
      );
    }
  }

  async function watched(request: Request, exchange: Exchange): Promise<Outcome> {
    const started = parts.now();
    const ends = beginAll(parts.observers, request);
    const seen: Seen = {};
    const outcome = await attempt(request, withSteps(exchange, request.id, parts.observers), seen);
    const ms = parts.now() - started;
    for (const end of ends) endOne(end, { request, ...(seen.call && { call: seen.call }), outcome, ms });
    return outcome;
  }

  /** Callers without access to call_tool get `tool.not_found`. */
  async function viaCallTool(request: Request, exchange: Exchange): Promise<Outcome> {
    await registry.refresh(request.session);
    const found = registry.find(request.session, { kind: 'tool', name: callToolName });
    const aliases = found?.target.kind === 'tool' ? found.target.spec.aliases : undefined;
    const real = found && throughCallTool(request, aliases);
    return real === undefined ? watched(request, exchange) : toldByCallTool(await watched(real, exchange));
  }

  return {
    registry: registry,
    call: (request, exchange) => (isCallTool(request) ? viaCallTool : watched)(request, exchange),
    leave(session) {
      parts.exposure.forget(session);
      parts.onLeave?.(session);
    },
    async close() {
      multiRound.close();
      await registry.close();
    },
  };
}

function unreadSchema({ name, definition }: ToolSpec, issues: readonly string[]): Fault {
  const message = `Invalid arguments for ${name}: ${issues.join('; ')}.`;
  const { inputSchema } = definition.value as { readonly inputSchema?: unknown };
  return createFault('input.invalid', message, { data: { issues, input_schema: inputSchema } });
}

const cancelled = faulted(createFault('call.cancelled', 'The call was cancelled.'));

/** Stops waiting when the caller is gone. The target may still finish its work. */
function untilCancelled(caller: Cancellation, start: () => Promise<Outcome>): Promise<Outcome> {
  if (caller.isCancelled) return Promise.resolve(cancelled);
  return new Promise((resolve, reject) => {
    const giveUp = (): void => resolve(cancelled);
    const end = <T>(settle: (value: T) => void): ((value: T) => void) => {
      return (value) => {
        stop();
        settle(value);
      };
    };
    const stop = caller.onCancel(giveUp);
    start().then(end(resolve), end(reject));
  });
}

/** Multi-round callers are only asked for input that they declared they can give. */
async function callMultiRound(provider: Provider, call: Call, exchange: Exchange): Promise<Outcome> {
  const outcome = await provider.call(call, exchange);
  if (outcome.kind !== 'asks') return outcome;
  for (const { question } of readQuestions(outcome.questions)) {
    const problem = question && unanswerable(question, exchange);
    if (problem) return faulted(problem);
  }
  return outcome;
}

interface Seen {
  call?: Call;
}

interface Continued {
  readonly resumed: boolean;
  readonly answers?: Resumption;
  readonly parkedId?: string;
  readonly responses: JsonText;
}

/** What a request continues: nothing, a call parked here, or an input round of the upstream. */
function continuation(seal: StateSeal, request: Request): Continued | { readonly fault: Fault } {
  const { resume } = request;
  if (resume === undefined) return { resumed: false, responses: request.params };
  if (resume.state === undefined) return { resumed: false, answers: resume, responses: resume.responses };
  const opened = seal.open(request, resume.state);
  if (!opened.ok) {
    return opened.reason === 'expired'
      ? { fault: createFault('ask.expired', 'This request has expired. Retry the call.') }
      : {
          fault: createFault(
            'ask.forged',
            'requestState is invalid: Tidegate did not issue it for this call.',
          ),
        };
  }
  const { responses } = resume;
  if (opened.state.kind === 'parked') return { resumed: true, parkedId: opened.state.id, responses };
  const { state } = opened.state;
  return { resumed: true, responses, answers: { responses, ...(state !== undefined && { state }) } };
}

type End = ReturnType<Observer['begin']>;

/** An observer that throws loses its own record; the call goes on. */
function beginAll(observers: readonly Observer[], request: Request): End[] {
  const ends: End[] = [];
  for (const observer of observers) {
    try {
      ends.push(observer.begin(request));
    } catch {
      // An observer that failed to begin is not asked to end.
    }
  }
  return ends;
}

function endOne(end: End, attempt: Parameters<End>[0]): void {
  try {
    end(attempt);
  } catch {
    // See beginAll: an observer must not change the outcome.
  }
}
