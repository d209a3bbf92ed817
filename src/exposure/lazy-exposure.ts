import type { Cancellation } from '../lib/cancellation.js';
import type { Client, Session, Spec, ToolSpec } from '../core/index.js';
import type { ExposureMode } from '../ports/catalog.js';
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
import type { ExposureSettings } from './settings.js';
import type { ActiveNow, ActiveTools, Exposure, ExposureOptions } from './show.js';
import { createSplits, type Split } from './split.js';
import { createSessionStates, type SessionState } from './session-states.js';

export interface LazyExposureParts {
  readonly settings: ExposureSettings;
  /** Called when a client gets tools in a different way than planned. */
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

interface Delivered {
  readonly split: Split;
  readonly delivery: Delivery;
}

/** Lists the tools that a session needs now. When in doubt, lists a tool. */
export function createLazyExposure({ settings, log }: LazyExposureParts): Exposure & ActiveTools {
  const splits = createSplits(settings);
  const states = createSessionStates(settings.inheritActive);
  const listeners = new Set<(session: string) => void>();
  const watchers = new Set<() => void>();
  let cannotSearch = false;
  const limits = { maxCount: settings.maxActiveSchemas, maxTokens: settings.maxActiveTokens };

  function tell(session: Session): void {
    for (const listener of listeners) listener(session.id);
  }

  function noteActivity(): void {
    for (const watcher of watchers) watcher();
  }

  /** How this client gets this list. `eager` if nothing is deferred. */
  function deliver(session: Session, visible: readonly Spec[], client?: Client): Delivered {
    const state = states.known(session);
    const { extent, delivery } = deliveryFor(settings, client ?? state?.client, state?.options);
    const split = splits(visible, extent);
    const isAll = cannotSearch || !split.canSearch || split.deferrable.size === 0;
    return { split, delivery: isAll ? 'eager' : delivery };
  }

  /** A client that missed a list refresh is not waited for again; active tools stay in its list. */
  function modeOf(session: Session, visible: readonly Spec[]): ExposureMode {
    const { delivery } = deliver(session, visible);
    return modeFor(delivery, states.known(session)?.isDeaf === true);
  }

  /** The current active set, without tools that are no longer visible or deferred. */
  function current(session: Session, split: Split): ActivationSet {
    const state = states.known(session);
    if (state === undefined || state.set.entries.length === 0) return state?.set ?? noneActive;
    const { set, gone } = retain(state.set, (name) => tokensOf(split.deferrable.get(name)));
    state.set = set;
    // What it never had is not gone for it: the names would tell what is hidden from it.
    const isOwn = !state.isInherited;
    state.isInherited = false;
    if (isOwn && gone.length > 0) state.gone = [...state.gone, ...gone].slice(-maxGone);
    return set;
  }

  function put(session: Session, { split, delivery }: Delivered, batch: readonly Candidate[]): Activation {
    const before = current(session, split);
    const state = states.of(session);
    const activation = activate(before, batch, limits);
    state.set = activation.set;
    noteActivity();
    const isOther = activation.activated.length > 0 || activation.evicted.length > 0;
    if (isOther && delivery === 'list') tell(session);
    return activation;
  }

  function listFor(session: Session, visible: readonly Spec[], client: Client | undefined): readonly Spec[] {
    if (client !== undefined) meet(session, client, visible);
    const { split, delivery } = deliver(session, visible, client);
    if (delivery === 'eager') return split.eager;
    if (delivery === 'marked') return alwaysLoaded(split);
    if (delivery === 'call_tool') return split.always;
    return shownList(states.of(session), split, current(session, split));
  }

  /** Sessions that list all tools need no state. */
  function meet(session: Session, client: Client, visible: readonly Spec[]): void {
    if (states.known(session) === undefined && deliver(session, visible, client).delivery === 'eager') return;
    const state = states.of(session);
    if (state.client === client) return;
    state.client = client;
    noteActivity();
  }

  return {
    show<S extends Spec>(session: Session, visible: readonly S[], client?: Client): readonly S[] {
      // A list contains one kind of definition; only tools are deferred.
      return visible[0]?.kind === 'tool' ? (listFor(session, visible, client) as readonly S[]) : visible;
    },
    listed(session) {
      states.known(session)?.heard();
    },
    called(session, tool, visible, client) {
      const { split, delivery } = deliver(session, visible, client);
      if (!split.deferrable.has(tool.name) || delivery === 'eager') return;
      meet(session, client, visible);
      // Use what is now known about the client.
      put(session, deliver(session, visible), [candidate(tool)]);
    },
    isDeferred(session, tool, visible, client) {
      const { split, delivery } = deliver(session, visible, client);
      if (!split.deferrable.has(tool.name) || isShownAll(delivery)) return false;
      return !current(session, split).entries.some(({ name }) => name === tool.name);
    },
    instructions(session, visible, client) {
      meet(session, client, visible);
      const { split, delivery } = deliver(session, visible, client);
      return isShownAll(delivery) ? undefined : instructionsFor([...split.deferrable.values()]);
    },
    defers: (session, source, visible, client) => deliver(session, visible, client).split.defers(source),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    forget(session) {
      states.forget(session);
      noteActivity();
    },
    mode: modeOf,
    hasMissedList: (session) => states.known(session)?.isDeaf === true,
    defersItself: (session, visible, client) => deliver(session, visible, client).delivery === 'marked',
    active(session, visible): ActiveNow {
      const set = current(session, deliver(session, visible).split);
      const state = states.known(session);
      const gone = state?.gone ?? [];
      if (state !== undefined) state.gone = [];
      return { set, gone };
    },
    isDeferrable: (session, tool, visible) => deliver(session, visible).split.deferrable.has(tool.name),
    activate(session, tools, visible) {
      const delivered = deliver(session, visible);
      const { deferrable } = delivered.split;
      return put(session, delivered, tools.filter(({ name }) => deferrable.has(name)).map(candidate));
    },
    async untilListed(session: Session, caller: Cancellation) {
      const state = states.of(session);
      if (isPunctual(state.client)) return true;
      const isHeard = await state.untilHeard(settings.holdMs, caller);
      const slow = slownessOf(state.client);
      if (isHeard && slow > 0) await new Promise((resolve) => setTimeout(resolve, slow));
      if (isHeard || caller.isCancelled || state.isDeaf) return isHeard;
      state.isDeaf = true;
      noteActivity();
      const client = state.client && clientName(state.client);
      log(
        'the client did not refresh its tool list in time: active tools stay listed, and searches now refer to call_tool',
        { session: session.id, client },
      );
      return false;
    },
    showEverything(reason) {
      if (cannotSearch) return;
      cannotSearch = true;
      log('tool search is not available: all tools are listed from now on', { reason });
      for (const { session } of states.all()) tell(session);
    },
    prefer(session: Session, options: ExposureOptions) {
      const state = states.of(session);
      state.options = { ...state.options, ...options };
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
      const { split, delivery } = deliver(session, visible, client);
      if (isShownAll(delivery)) return undefined;
      const shown = new Set<Spec>(listFor(session, visible, client));
      const hidden = [...split.deferrable.values()].filter((tool) => !shown.has(tool));
      return {
        deferred: hidden.length,
        advertisedTokens: sumOf([...shown].filter((spec) => spec.kind === 'tool')),
        avoidedTokens: sumOf(hidden),
      };
    },
    onActivity(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    placeInSearch: (session, name) => states.known(session)?.told.get(name),
    sessions: () =>
      states.all().map(({ session, client, set, isDeaf, options }) => {
        const { delivery } = deliveryFor(settings, client, options);
        const name = client && clientName(client);
        return {
          session,
          mode: modeFor(delivery, isDeaf),
          set,
          ...(name !== undefined && { client: name }),
        };
      }),
  };
}

/** Limit of removed tools that the next search reports. */
const maxGone = 50;

/** Older search results say nothing about current searches. */
const maxTold = 100;

function sumOf(tools: readonly ToolSpec[]): number {
  return tools.reduce((sum, tool) => sum + estimateTokens(tool), 0);
}

function isShownAll(delivery: Delivery): boolean {
  return delivery === 'eager' || delivery === 'marked';
}

function modeFor(delivery: Delivery, hasMissedList: boolean): ExposureMode {
  if (delivery === 'list' && hasMissedList) return 'call_tool';
  return delivery === 'marked' ? 'eager' : delivery;
}

function tokensOf(tool: ToolSpec | undefined): number | undefined {
  return tool && estimateTokens(tool);
}

function candidate(tool: ToolSpec): Candidate {
  return { name: tool.name, tokens: estimateTokens(tool) };
}

/** Always-listed tools first, then active tools in order of activation, so that remaining tools keep their position. */
function shownList(state: SessionState, split: Split, set: ActivationSet): readonly Spec[] {
  const before = state.shown;
  const names = set.entries.map(({ name }) => name);
  const key = names.join('\n');
  if (before?.split === split && before.key === key) return before.list;
  const list = [...split.always, ...names.flatMap((name) => split.deferrable.get(name) ?? [])];
  state.shown = { split, key, list };
  return list;
}
