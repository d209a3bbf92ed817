import type { Cancellation, Client, Session, Spec, SurfaceMode, ToolSpec } from '../kernel/index.js';
import {
  type Activation,
  activate,
  type ActivationSet,
  type Candidate,
  noneActive,
  retain,
} from './activation.js';
import { clientName, type Delivery, deliveryFor, isPunctual, slownessOf } from './delivery.js';
import { estimateTokens } from './estimate.js';
import { instructionsFor } from './instructions.js';
import { alwaysLoaded } from './marked.js';
import type { SurfaceSettings } from './settings.js';
import type { ActiveNow, ActiveTools, Surface, SurfaceWish } from './show.js';
import { createSplits, serverOf, type Split } from './split.js';
import { createSessionStates, type SessionState } from './session-states.js';

export interface LazySurfaceParts {
  readonly settings: SurfaceSettings;
  /** Told when a client is shown tools in another way than it was to be. */
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** Shows the tools that a session needs now. Whatever it cannot decide, it shows. */
export function createLazySurface({ settings, log }: LazySurfaceParts): Surface & ActiveTools {
  const splits = createSplits(settings);
  const states = createSessionStates(settings.inheritActive);
  const listeners = new Set<(session: string) => void>();
  let cannotSearch = false;
  const limits = { maxCount: settings.maxActiveSchemas, maxTokens: settings.maxActiveTokens };

  function tell(session: Session): void {
    for (const listener of listeners) listener(session.id);
  }

  /** How this client is shown this list. `eager` wherever nothing is deferred. */
  function deliver(session: Session, split: Split, client: Client | undefined): Delivery {
    const state = states.known(session);
    const { lazy, delivery } = deliveryFor(settings, client ?? state?.client, state?.wish);
    if (cannotSearch || delivery === 'eager' || !split.canSearch || !split.isWorthIt(lazy)) return 'eager';
    return delivery === 'list' && state?.isDeaf === true ? 'bridge' : delivery;
  }

  /** The set as it is now: what is no longer visible, or no longer deferred, has left it. */
  function current(session: Session, split: Split): ActivationSet {
    const state = states.known(session);
    if (state === undefined || state.set.entries.length === 0) return state?.set ?? noneActive;
    const { set, gone } = retain(state.set, (name) => tokensOf(split.deferrable.get(name)));
    state.set = set;
    if (gone.length > 0) state.gone = [...state.gone, ...gone].slice(-maxGone);
    return set;
  }

  function put(session: Session, split: Split, batch: readonly Candidate[]): Activation {
    const before = current(session, split);
    const state = states.of(session);
    const activation = activate(before, batch, limits);
    state.set = activation.set;
    const isOther = activation.activated.length > 0 || activation.evicted.length > 0;
    if (isOther && deliver(session, split, undefined) === 'list') tell(session);
    return activation;
  }

  function listFor(session: Session, visible: readonly Spec[], client: Client | undefined): readonly Spec[] {
    const split = splits(visible);
    if (client !== undefined) meet(session, client, split);
    const delivery = deliver(session, split, client);
    if (delivery === 'eager') return split.eager;
    if (delivery === 'marked') return alwaysLoaded(split);
    if (delivery === 'bridge') return split.always;
    return shownList(states.of(session), split, current(session, split));
  }

  /** Sessions whose tools are all shown need nothing kept of them. */
  function meet(session: Session, client: Client, split: Split): void {
    if (states.known(session) === undefined && deliver(session, split, client) === 'eager') return;
    states.of(session).client = client;
  }

  return {
    show<S extends Spec>(session: Session, visible: readonly S[], client?: Client): readonly S[] {
      // Every list holds one kind of definition; only tools are deferred.
      return visible[0]?.kind === 'tool' ? (listFor(session, visible, client) as readonly S[]) : visible;
    },
    listed(session) {
      states.known(session)?.heard();
    },
    called(session, tool, visible, client) {
      const split = splits(visible);
      if (!split.deferrable.has(tool.name) || deliver(session, split, client) === 'eager') return;
      meet(session, client, split);
      put(session, split, [candidate(tool)]);
    },
    isDeferred(session, tool, visible, client) {
      const split = splits(visible);
      if (!split.deferrable.has(tool.name) || isShownAll(deliver(session, split, client))) return false;
      return !current(session, split).entries.some(({ name }) => name === tool.name);
    },
    instructions(session, visible, client) {
      const split = splits(visible);
      meet(session, client, split);
      if (isShownAll(deliver(session, split, client))) return undefined;
      return instructionsFor([...split.deferrable.values()]);
    },
    defers: (source) => source !== 'builtin' && settings.servers.get(serverOf({ source })) !== false,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    forget: (session) => states.forget(session),
    mode: (session, visible) => modeOf(deliver(session, splits(visible), undefined)),
    defersItself: (session, visible, client) => deliver(session, splits(visible), client) === 'marked',
    active(session, visible): ActiveNow {
      const set = current(session, splits(visible));
      const state = states.known(session);
      const gone = state?.gone ?? [];
      if (state !== undefined) state.gone = [];
      return { set, gone };
    },
    isDeferrable: (tool, visible) => splits(visible).deferrable.has(tool.name),
    activate(session, tools, visible) {
      const split = splits(visible);
      return put(session, split, tools.filter(({ name }) => split.deferrable.has(name)).map(candidate));
    },
    async untilListed(session: Session, caller: Cancellation) {
      const state = states.of(session);
      if (isPunctual(state.client)) return true;
      const isHeard = await state.untilHeard(settings.holdMs, caller);
      const slow = slownessOf(state.client);
      if (isHeard && slow > 0) await new Promise((resolve) => setTimeout(resolve, slow));
      if (isHeard || caller.isCancelled || state.isDeaf) return isHeard;
      state.isDeaf = true;
      const client = state.client && clientName(state.client);
      log('the client does not read its list again when told to: it gets tools over call_tool from now on', {
        session: session.id,
        client,
      });
      return false;
    },
    showEverything(reason) {
      if (cannotSearch) return;
      cannotSearch = true;
      log('tools cannot be searched for: all of them are shown from now on', { reason });
      for (const { session } of states.all()) tell(session);
    },
    prefer(session: Session, wish: SurfaceWish) {
      const state = states.of(session);
      state.wish = { ...state.wish, ...wish };
    },
    isFirst(session, server) {
      const { met } = states.of(session);
      const isFirst = !met.has(server);
      met.add(server);
      return isFirst;
    },
    told(session, names) {
      const { told } = states.of(session);
      for (const [at, name] of names.entries()) {
        told.delete(name);
        told.set(name, at + 1);
      }
      for (const name of [...told.keys()].slice(0, Math.max(0, told.size - maxTold))) told.delete(name);
    },
    facts(session, visible, client) {
      const split = splits(visible);
      if (isShownAll(deliver(session, split, client))) return undefined;
      const shown = new Set<Spec>(listFor(session, visible, client));
      const hidden = [...split.deferrable.values()].filter((tool) => !shown.has(tool));
      return {
        deferred: hidden.length,
        advertisedTokens: sumOf([...shown].filter((spec) => spec.kind === 'tool')),
        avoidedTokens: sumOf(hidden),
      };
    },
    placeInSearch: (session, name) => states.known(session)?.told.get(name),
    sessions: () =>
      states.all().map(({ session, client, set, isDeaf, wish }) => {
        const { delivery } = deliveryFor(settings, client, wish);
        const name = client && clientName(client);
        return {
          session,
          mode: modeOf(delivery === 'list' && isDeaf ? 'bridge' : delivery),
          set,
          ...(name !== undefined && { client: name }),
        };
      }),
  };
}

/** Tools that went away while nobody searched: more than this nobody needs to be told of. */
const maxGone = 50;

/** Tools that were found long ago say nothing about the searches of now. */
const maxTold = 100;

function sumOf(tools: readonly ToolSpec[]): number {
  return tools.reduce((sum, tool) => sum + estimateTokens(tool), 0);
}

function isShownAll(delivery: Delivery): boolean {
  return delivery === 'eager' || delivery === 'marked';
}

function modeOf(delivery: Delivery): SurfaceMode {
  return delivery === 'marked' ? 'eager' : delivery;
}

function tokensOf(tool: ToolSpec | undefined): number | undefined {
  return tool && estimateTokens(tool);
}

function candidate(tool: ToolSpec): Candidate {
  return { name: tool.name, tokens: estimateTokens(tool) };
}

/** First what is always there, then what is active in the order in which it became so: nothing that stays moves. */
function shownList(state: SessionState, split: Split, set: ActivationSet): readonly Spec[] {
  const before = state.shown;
  const names = set.entries.map(({ name }) => name);
  const key = names.join('\n');
  if (before?.split === split && before.key === key) return before.list;
  const list = [...split.always, ...names.flatMap((name) => split.deferrable.get(name) ?? [])];
  state.shown = { split, key, list };
  return list;
}
