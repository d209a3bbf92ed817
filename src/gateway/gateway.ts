import type { Access } from '../access/index.js';
import {
  type Call,
  type Cancellation,
  type Client,
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
  type Source,
  type Spec,
  type ToolSpec,
  type Wanted,
} from '../kernel/index.js';
import { bridgeName, type Surface } from '../surface/index.js';
import { admit } from './admit.js';
import { isBridge, throughBridge, toldByBridge } from './bridge.js';
import type { Collision } from './catalog.js';
import { createCorridor, describeError } from './chain.js';
import { openDirectory } from './directory.js';
import type { ProviderReport } from './provider-reports.js';
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
  /** The problems of arguments in words, for a tool whose schema its caller may never have read. */
  readonly checkArguments?: (tool: ToolSpec, params: JsonText) => readonly string[];
  /** Shared by replicas; random when left out. */
  readonly seal?: StateSeal;
}

/** The one way through: calls, lists, changes. */
export interface Gateway {
  call(request: Request, exchange: Exchange): Promise<Outcome>;
  /** As this client is shown it; without a client, everything that the session can see. */
  list<K extends ListKind>(session: Session, kind: K, client?: Client): ListOf<K>;
  /** Every tool that the session can see, shown or not. */
  visibleTools(session: Session): readonly ToolSpec[];
  /** Every tool there is, whoever may see it: to be prepared for a search, never for an answer. */
  everyTool(): readonly ToolSpec[];
  /** How the providers are doing of which the session can see something, or could if they had it. */
  statusFor(session: Session): readonly ProviderReport[];
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
  instructions(session: Session, client?: Client): string | undefined;
  /** What one provider says about itself, for whom its tools are visible. */
  wordsOf(source: Source): string | undefined;
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
    const problem = used(request, call);
    if (problem !== undefined) return faulted(problem);
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

  /** Whoever calls a tool is shown it from then on; and is told its schema where he did not know it. */
  function used(request: Request, { target }: Call): Fault | undefined {
    if (target.kind !== 'tool') return undefined;
    const { session, client, via } = request;
    const visible = directory.visibleTools(session);
    const isUnread = via !== undefined || parts.surface.isDeferred(session, target.spec, visible, client);
    parts.surface.called(session, target.spec, visible, client);
    const issues = isUnread ? (parts.checkArguments?.(target.spec, request.params) ?? []) : [];
    return issues.length > 0 ? unreadSchema(target.spec, issues) : undefined;
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

  async function watched(request: Request, exchange: Exchange): Promise<Outcome> {
    const started = parts.now();
    const ends = beginAll(parts.observers, request);
    const seen: Seen = {};
    const outcome = await attempt(request, withSteps(exchange, request.id, parts.observers), seen);
    const ms = parts.now() - started;
    for (const end of ends) endOne(end, { request, ...(seen.call && { call: seen.call }), outcome, ms });
    return outcome;
  }

  /** Who may not use the bridge finds none. */
  async function bridged(request: Request, exchange: Exchange): Promise<Outcome> {
    await directory.refresh(request.session);
    const found = directory.find(request.session, { kind: 'tool', name: bridgeName });
    const aliases = found?.target.kind === 'tool' ? found.target.spec.aliases : undefined;
    const real = found && throughBridge(request, aliases);
    return real === undefined ? watched(request, exchange) : toldByBridge(await watched(real, exchange));
  }

  return {
    call: (request, exchange) => (isBridge(request) ? bridged : watched)(request, exchange),
    list(session, kind, client) {
      const list = directory.list(session, kind, client);
      if (kind === 'tools' && client !== undefined) parts.surface.listed(session);
      return list;
    },
    visibleTools: (session) => directory.visibleTools(session),
    everyTool: () => directory.everyTool(),
    statusFor: (session) => directory.statusFor(session),
    refresh: (session) => directory.refresh(session),
    lookup: (wanted) => directory.lookup(wanted),
    describe: (session, name) => directory.describe(session, name),
    async settle(session) {
      await directory.settle();
      if (session !== undefined) await directory.refresh(session);
    },
    listed: () => directory.listed(),
    firstListed: () => directory.firstListed,
    instructions: (session, client) => directory.instructions(session, client),
    wordsOf: (source) => directory.wordsOf(source),
    watch: (session, uri, listener) => directory.watch(session, uri, listener),
    onChange: (session, listener) => directory.onChange(session, listener),
    rootsChanged: () => directory.rootsChanged(),
    leave(session) {
      parts.surface.forget(session);
      parts.onLeave?.(session);
    },
    status: () => directory.status(),
    collisions: () => directory.collisions(),
    replaceProviders: (providers) => directory.replace(providers),
    async close() {
      rounds.close();
      await directory.close();
    },
  };
}

function unreadSchema({ name, definition }: ToolSpec, issues: readonly string[]): Fault {
  const message = `The arguments of ${name} are not right: ${issues.join('; ')}.`;
  const { inputSchema } = definition.value as { readonly inputSchema?: unknown };
  return createFault('input.invalid', message, { data: { issues, input_schema: inputSchema } });
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
