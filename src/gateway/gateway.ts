import type { Access } from '../access/index.js';
import {
  type Call,
  type Cancellation,
  createFault,
  type Exchange,
  type Fault,
  faulted,
  type Interceptor,
  type JsonText,
  type Observer,
  type Outcome,
  type Provider,
  type Request,
  type Resumption,
  type Session,
  type Spec,
  type ToolSpec,
  type Wanted,
} from '../kernel/index.js';
import type { Surface } from '../surface/index.js';
import { admit } from './admit.js';
import type { Collision } from './catalog.js';
import { createCorridor, describeError } from './chain.js';
import { openDirectory, type ProviderReport } from './directory.js';
import type { ListKind, ListOf } from './lists.js';
import { callWithLiveAsks } from './live-asks.js';
import { readQuestions, unanswerable } from './questions.js';
import { openRounds } from './rounds.js';
import { createStateSeal, type StateSeal } from './state-seal.js';
import { withSteps } from './with-steps.js';

export interface GatewayParts {
  readonly providers: readonly Provider[];
  readonly access: Access;
  readonly surface: Surface;
  readonly interceptors: readonly Interceptor[];
  readonly observers: readonly Observer[];
  readonly now: () => number;
  /** Told once when a session is over, for what was to live as long. */
  readonly onLeave?: (session: Session) => void;
  /** Shared by replicas; random when left out. */
  readonly seal?: StateSeal;
}

/** The one way through: calls, lists, changes. */
export interface Gateway {
  call(request: Request, exchange: Exchange): Promise<Outcome>;
  list<K extends ListKind>(session: Session, kind: K): ListOf<K>;
  /** What there is by that name, whoever may see it: for operators and records, never for an answer. */
  lookup(wanted: Wanted): Spec | undefined;
  /** One tool as this session sees it, or undefined. The same answer as list and call give. */
  describe(session: Session, name: string): ToolSpec | undefined;
  /**
   * Waits until the first lists are known, two seconds at most and once; and until the session's rights are as they are
   * now. To be awaited before a list is shown to it.
   */
  settle(session?: Session): Promise<void>;
  /** Resolves when every provider has listed what it offers, or has failed to. For callers that have time. */
  listed(): Promise<void>;
  /** Resolves when every provider has listed because somebody else wanted lists. Starts nothing. */
  firstListed(): Promise<void>;
  /** The session's rights as they are now: `list` and `describe` answer from there. Undefined: they are already. */
  refresh(session: Session): Promise<void> | undefined;
  instructions(session: Session): string | undefined;
  watch(session: Session, uri: string, listener: (params: JsonText) => void): Promise<(() => void) | Fault>;
  /** Told which lists of this session changed: by what servers offer, or by what it may see. */
  onChange(session: Session, listener: (changed: readonly ListKind[]) => void): () => void;
  rootsChanged(): void;
  /** The session is over: whatever was to live as long as it ends. */
  leave(session: Session): void;
  status(): readonly ProviderReport[];
  collisions(): readonly Collision[];
  /** Puts new providers in place of the old ones; sessions stay. The caller closes the old ones. */
  replaceProviders(providers: readonly Provider[]): void;
  close(): Promise<void>;
}

export function openGateway(parts: GatewayParts): Gateway {
  const directory = openDirectory(parts.providers, parts.access, parts.surface);
  const corridor = createCorridor(parts.interceptors);
  const seal = parts.seal ?? createStateSeal(parts.now);
  const rounds = openRounds(seal);

  async function carry(
    request: Request,
    exchange: Exchange,
    continued: Continued,
    seen: Seen,
  ): Promise<Outcome> {
    const settling = directory.settleFor(request.session, request.wanted);
    if (settling !== undefined) await settling;
    // The last thing before it is judged: no answer from before an acknowledged change may let it through.
    const refreshing = directory.refresh(request.session);
    if (refreshing !== undefined) await refreshing;
    const admission = admit(request, (wanted) => directory.find(request.session, wanted), continued);
    if (!admission.ok) return faulted(admission.fault);
    const { call, provider } = admission;
    seen.call = call;
    if (continued.parkedId !== undefined) {
      return sealed(request, await rounds.resume(request, exchange, continued.parkedId, continued.responses));
    }
    const start = (live: Exchange): Promise<Outcome> =>
      corridor(call, live, (wrapped) =>
        untilCancelled(wrapped, () =>
          wrapped.asking === 'live'
            ? callWithLiveAsks(provider, call, wrapped)
            : callInRounds(provider, call, wrapped),
        ),
      );
    if (exchange.asking === 'live') return start(exchange);
    return sealed(request, await rounds.run(request, exchange, start));
  }

  /** The state of an upstream leaves under our seal; the state of a parked call has it already. */
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
      return faulted(createFault('internal', 'The gate failed to carry out this call.', { detail }));
    }
  }

  return {
    async call(request, exchange) {
      const started = parts.now();
      const ends = beginAll(parts.observers, request);
      const seen: Seen = {};
      const outcome = await attempt(request, withSteps(exchange, request.id, parts.observers), seen);
      const ms = parts.now() - started;
      for (const end of ends) endOne(end, { request, ...(seen.call && { call: seen.call }), outcome, ms });
      return outcome;
    },
    list: (session, kind) => directory.list(session, kind),
    refresh: (session) => directory.refresh(session),
    lookup: (wanted) => directory.lookup(wanted),
    describe: (session, name) => directory.describe(session, name),
    async settle(session) {
      await directory.settle();
      if (session !== undefined) await directory.refresh(session);
    },
    listed: () => directory.listed(),
    firstListed: () => directory.firstListed,
    instructions: (session) => directory.instructions(session),
    watch: (session, uri, listener) => directory.watch(session, uri, listener),
    onChange: (session, listener) => directory.onChange(session, listener),
    rootsChanged: () => directory.rootsChanged(),
    leave: (session) => parts.onLeave?.(session),
    status: () => directory.status(),
    collisions: () => directory.collisions(),
    replaceProviders: (providers) => directory.replace(providers),
    async close() {
      rounds.close();
      await directory.close();
    },
  };
}

const cancelled = faulted(createFault('call.cancelled', 'The call was cancelled.'));

/** Gives up waiting when the caller is gone; what the target does about it is its own affair. */
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

/** A caller that answers in rounds is asked nothing that it did not say it can answer. */
async function callInRounds(provider: Provider, call: Call, exchange: Exchange): Promise<Outcome> {
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

/** What a request continues: nothing, a call parked here, or a round with the upstream. */
function continuation(seal: StateSeal, request: Request): Continued | { readonly fault: Fault } {
  const { resume } = request;
  if (resume === undefined) return { resumed: false, responses: request.params };
  if (resume.state === undefined) return { resumed: false, answers: resume, responses: resume.responses };
  const opened = seal.open(request, resume.state);
  if (!opened.ok) {
    return opened.reason === 'expired'
      ? { fault: createFault('ask.expired', 'That call no longer waits for an answer: make it again.') }
      : {
          fault: createFault('ask.forged', 'requestState is not one that this gate gave out for this call.'),
        };
  }
  const { responses } = resume;
  if (opened.state.kind === 'parked') return { resumed: true, parkedId: opened.state.id, responses };
  const { state } = opened.state;
  return { resumed: true, responses, answers: { responses, ...(state !== undefined && { state }) } };
}

type End = ReturnType<Observer['begin']>;

/** Observers change nothing: one that throws loses its own record, never the call. */
function beginAll(observers: readonly Observer[], request: Request): End[] {
  const ends: End[] = [];
  for (const observer of observers) {
    try {
      ends.push(observer.begin(request));
    } catch {
      // An observer that cannot begin has nothing to end.
    }
  }
  return ends;
}

function endOne(end: End, attempt: Parameters<End>[0]): void {
  try {
    end(attempt);
  } catch {
    // See beginAll: the outcome stands whatever the observer does.
  }
}
