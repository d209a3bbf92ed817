import type { Cancellation } from '../lib/cancellation.js';
import type { Client, Session, Source, ToolSpec, VisibleTools } from '../core/index.js';
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
import type {
  ActiveNow,
  ActiveTools,
  Exposure,
  ExposureFacts,
  ExposureOptions,
  SessionView,
} from './show.js';
import { createSplits, type Split, type Splits } from './split.js';
import { createSessionStates, type SessionState, type SessionStates } from './session-states.js';

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
export function createLazyExposure(parts: LazyExposureParts): Exposure & ActiveTools {
  return new LazyExposure(parts);
}

class LazyExposure implements Exposure, ActiveTools {
  readonly #settings: ExposureSettings;
  readonly #log: LazyExposureParts['log'];
  readonly #splits: Splits;
  readonly #states: SessionStates;
  readonly #limits: { readonly maxCount: number; readonly maxTokens: number };
  readonly #listeners = new Set<(session: string) => void>();
  readonly #watchers = new Set<() => void>();
  #cannotSearch = false;

  constructor({ settings, log }: LazyExposureParts) {
    this.#settings = settings;
    this.#log = log;
    this.#splits = createSplits(settings);
    this.#states = createSessionStates(settings.inheritActive);
    this.#limits = { maxCount: settings.maxActiveSchemas, maxTokens: settings.maxActiveTokens };
  }

  show(session: Session, visible: VisibleTools, client?: Client): readonly ToolSpec[] {
    if (client !== undefined) this.#meet(session, client, visible);
    const { split, delivery } = this.#deliver(session, visible, client);
    if (delivery === 'eager') return split.eager;
    if (delivery === 'marked') return alwaysLoaded(split);
    if (delivery === 'call_tool') return split.always;
    return shownList(this.#states.of(session), split, this.#current(session, split));
  }

  listed(session: Session): void {
    this.#states.known(session)?.heard();
  }

  called(session: Session, tool: ToolSpec, visible: VisibleTools, client: Client): boolean {
    const { split, delivery } = this.#deliver(session, visible, client);
    if (!split.deferrable.has(tool.name) || delivery === 'eager') return false;
    const isActive = this.#current(session, split).entries.some(({ name }) => name === tool.name);
    this.#meet(session, client, visible);
    // Use what is now known about the client.
    this.#put(session, this.#deliver(session, visible), [candidate(tool)]);
    return delivery !== 'marked' && !isActive;
  }

  instructions(session: Session, visible: VisibleTools, client: Client): string | undefined {
    this.#meet(session, client, visible);
    const { split, delivery } = this.#deliver(session, visible, client);
    return isShownAll(delivery) ? undefined : instructionsFor([...split.deferrable.values()]);
  }

  defers(session: Session, source: Source, visible: VisibleTools, client: Client): boolean {
    return this.#deliver(session, visible, client).split.defers(source);
  }

  onChange(listener: (session: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  forget(session: Session): void {
    this.#states.forget(session);
    this.#noteActivity();
  }

  /** A client that missed a list refresh is not waited for again; active tools stay in its list. */
  mode(session: Session, visible: VisibleTools): ExposureMode {
    return modeFor(this.#deliver(session, visible).delivery, this.hasMissedList(session));
  }

  hasMissedList(session: Session): boolean {
    return this.#states.known(session)?.isDeaf === true;
  }

  defersItself(session: Session, visible: VisibleTools, client: Client): boolean {
    return this.#deliver(session, visible, client).delivery === 'marked';
  }

  active(session: Session, visible: VisibleTools): ActiveNow {
    const set = this.#current(session, this.#deliver(session, visible).split);
    const state = this.#states.known(session);
    const gone = state?.gone ?? [];
    if (state !== undefined) state.gone = [];
    return { set, gone };
  }

  isDeferrable(session: Session, tool: ToolSpec, visible: VisibleTools): boolean {
    return this.#deliver(session, visible).split.deferrable.has(tool.name);
  }

  activate(session: Session, tools: readonly ToolSpec[], visible: VisibleTools): Activation {
    const delivered = this.#deliver(session, visible);
    const { deferrable } = delivered.split;
    return this.#put(session, delivered, tools.filter(({ name }) => deferrable.has(name)).map(candidate));
  }

  async untilListed(session: Session, caller: Cancellation): Promise<boolean> {
    const state = this.#states.of(session);
    if (isPunctual(state.client)) return true;
    const isHeard = await state.untilHeard(this.#settings.holdMs, caller);
    const slow = slownessOf(state.client);
    if (isHeard && slow > 0) await new Promise((resolve) => setTimeout(resolve, slow));
    if (isHeard || caller.isCancelled || state.isDeaf) return isHeard;
    state.isDeaf = true;
    this.#noteActivity();
    this.#log(
      'the client did not refresh its tool list in time: active tools stay listed, and searches now refer to call_tool',
      { session: session.id, client: state.client && clientName(state.client) },
    );
    return false;
  }

  showEverything(reason: string): void {
    if (this.#cannotSearch) return;
    this.#cannotSearch = true;
    this.#log('tool search is not available: all tools are listed from now on', { reason });
    for (const { session } of this.#states.all()) this.#tell(session);
  }

  prefer(session: Session, options: ExposureOptions): void {
    const state = this.#states.of(session);
    state.options = { ...state.options, ...options };
  }

  isFirst(session: Session, server: string): boolean {
    const { met } = this.#states.of(session);
    const isFirst = !met.has(server);
    met.add(server);
    return isFirst;
  }

  told(session: Session, names: readonly string[]): void {
    const { told } = this.#states.of(session);
    for (const [at, name] of names.entries()) {
      told.delete(name);
      told.set(name, at + 1);
    }
    for (const name of [...told.keys()].slice(0, Math.max(0, told.size - maxTold))) told.delete(name);
  }

  facts(session: Session, visible: VisibleTools, client: Client): ExposureFacts | undefined {
    const { split, delivery } = this.#deliver(session, visible, client);
    if (isShownAll(delivery)) return undefined;
    const shown = new Set(this.show(session, visible, client));
    const hidden = [...split.deferrable.values()].filter((tool) => !shown.has(tool));
    return { deferred: hidden.length, advertisedTokens: sumOf([...shown]), avoidedTokens: sumOf(hidden) };
  }

  onActivity(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  placeInSearch(session: Session, name: string): number | undefined {
    return this.#states.known(session)?.told.get(name);
  }

  sessions(): readonly SessionView[] {
    return this.#states.all().map(({ session, client, set, isDeaf, options }) => {
      const { delivery } = deliveryFor(this.#settings, client, options);
      const name = client && clientName(client);
      return { session, mode: modeFor(delivery, isDeaf), set, ...(name !== undefined && { client: name }) };
    });
  }

  #tell(session: Session): void {
    for (const listener of this.#listeners) listener(session.id);
  }

  #noteActivity(): void {
    for (const watcher of this.#watchers) watcher();
  }

  /** How this client gets these tools. `eager` if nothing is deferred. */
  #deliver(session: Session, visible: VisibleTools, client?: Client): Delivered {
    const state = this.#states.known(session);
    const { extent, delivery } = deliveryFor(this.#settings, client ?? state?.client, state?.options);
    const split = this.#splits(visible, extent);
    const isAll = this.#cannotSearch || !split.canSearch || split.deferrable.size === 0;
    return { split, delivery: isAll ? 'eager' : delivery };
  }

  /** The current active set, without tools that are no longer visible or deferred. */
  #current(session: Session, split: Split): ActivationSet {
    const state = this.#states.known(session);
    if (state === undefined || state.set.entries.length === 0) return state?.set ?? noneActive;
    const { set, gone } = retain(state.set, (name) => tokensOf(split.deferrable.get(name)));
    state.set = set;
    // A tool that the session itself never had isn't reported as gone: its name may be hidden from this session.
    const isOwn = !state.isInherited;
    state.isInherited = false;
    if (isOwn && gone.length > 0) state.gone = [...state.gone, ...gone].slice(-maxGone);
    return set;
  }

  #put(session: Session, { split, delivery }: Delivered, batch: readonly Candidate[]): Activation {
    const before = this.#current(session, split);
    const state = this.#states.of(session);
    const activation = activate(before, batch, this.#limits);
    state.set = activation.set;
    this.#noteActivity();
    const isOther = activation.activated.length > 0 || activation.evicted.length > 0;
    if (isOther && delivery === 'list') this.#tell(session);
    return activation;
  }

  /** Sessions that list all tools need no state. */
  #meet(session: Session, client: Client, visible: VisibleTools): void {
    const isKnown = this.#states.known(session) !== undefined;
    if (!isKnown && this.#deliver(session, visible, client).delivery === 'eager') return;
    const state = this.#states.of(session);
    if (state.client === client) return;
    state.client = client;
    this.#noteActivity();
  }
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
function shownList(state: SessionState, split: Split, set: ActivationSet): readonly ToolSpec[] {
  const before = state.shown;
  const names = set.entries.map(({ name }) => name);
  const key = names.join('\n');
  if (before?.split === split && before.key === key) return before.list;
  const list = [...split.always, ...names.flatMap((name) => split.deferrable.get(name) ?? [])];
  state.shown = { split, key, list };
  return list;
}
