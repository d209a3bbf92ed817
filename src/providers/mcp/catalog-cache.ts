import { type Catalogue, emptyCatalogue, type Protocol } from '../../core/index.js';
import type { Log } from '../../ports/log.js';
import { type CatalogueRules, readCatalogue, readInSteps, type Reading } from './catalog-reader.js';
import { listAgain } from './lists.js';
import type { KeptCatalogue, UpstreamMemory } from './memory-port.js';
import type { Clock } from './options.js';
import { createPace } from './pace.js';
import type { ListName, Peer } from './peer.js';

export interface CatalogCacheParts {
  readonly rules: Omit<CatalogueRules, 'checksHeaders'>;
  /** Whether the server uses HTTP, where parameters may become headers. */
  readonly isHttp: boolean;
  readonly memory: UpstreamMemory;
  readonly key: string;
  /** Whether this is the currently running server. */
  readonly isLive: (peer: Peer) => boolean;
  /** Whether lists fail because a login is missing. Such failures say nothing about the catalog. */
  readonly isBarred: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** The catalog of a server: from the cache at first, then as listed, then as it changes. */
export interface CatalogCache {
  readonly catalogue: Catalogue;
  readonly hasResources: boolean;
  /** Definitions that are listed but not offered, with the reason. */
  readonly dropped: readonly string[];
  /** `none`: nothing is known. `old`: known, but should be listed again. */
  readonly freshness: 'none' | 'old' | 'fresh';
  /** Whether the first listing is still in progress. */
  readonly isFirstAwaited: boolean;
  readonly protocol: Protocol | undefined;
  rememberProtocol(protocol: Protocol): void;
  /** Lists everything, now. */
  listAll(peer: Peer): void;
  /** Resolves when nothing is being listed. */
  listed(): Promise<void>;
  /** Lists what changed, after a short delay, because changes come in bursts. */
  listSoon(peer: Peer, list: 'tools' | 'prompts' | 'resources'): void;
  onChange(listener: () => void): () => void;
  close(): void;
}

const turnMs = 15;
const mostKept = 16 * 1024 * 1024;
const swarmMs = 100;
/** A server with frequent changes is listed this often without delay, then once per second. */
const changesAtOnce = 10;
/** The first pause before a failed list is retried; each further pause doubles. */
const retryMs = 1000;
const maxRetries = 6;
const freshMs = 24 * 3600_000;
const eraMs = 7 * 24 * 3600_000;
const everything: readonly ListName[] = ['tools', 'prompts', 'resources', 'templates'];

export function openCatalogCache(parts: CatalogCacheParts): CatalogCache {
  const { memory, key, clock, log } = parts;
  const record = memory.read(key);
  const listeners = new Set<() => void>();
  const dirty = new Set<ListName>();
  const changePace = createPace(clock, changesAtOnce, 1);
  let protocol = record && clock.now() - record.at < eraMs ? record.protocol : undefined;
  let at = record?.at ?? 0;
  let kept: KeptCatalogue | undefined = record?.catalogue;
  let dropped: string[] = [];
  let catalogue = kept === undefined ? emptyCatalogue : read(kept);
  let listing: Promise<void> | undefined;
  let newest: Peer | undefined;
  let stopSoon: (() => void) | undefined;
  let stopRetry: (() => void) | undefined;
  let retries = 0;
  let readings = 0;
  let lastReading = Promise.resolve();
  let isClosed = false;

  function rulesNow(into: string[]): CatalogueRules {
    const checksHeaders = parts.isHttp && protocol === 'modern';
    return { ...parts.rules, checksHeaders, onDropped: (what) => void into.push(what) };
  }

  function read(texts: KeptCatalogue): Catalogue {
    dropped = [];
    return readCatalogue(texts, rulesNow(dropped));
  }

  /** Yields to other callers in between. A later reading cancels this one. */
  function readAgain(): Promise<void> {
    readings += 1;
    lastReading = kept === undefined ? Promise.resolve() : readInTurns(kept, readings);
    return lastReading;
  }

  async function readInTurns(texts: KeptCatalogue, reading: number): Promise<void> {
    const found: string[] = [];
    const next = await inTurns(readInSteps(texts, rulesNow(found)));
    if (reading !== readings) return lastReading;
    if (isClosed) return;
    dropped = found;
    catalogue = next;
    for (const listener of listeners) listener();
  }

  function save(): void {
    // The next start reads the cached catalog in one go.
    const remembered = kept !== undefined && sizeOf(kept) <= mostKept && { catalogue: kept };
    memory.write(key, { at, ...remembered, ...(protocol && { protocol }) });
  }

  async function listDirty(): Promise<void> {
    while (dirty.size > 0 && newest !== undefined && !isClosed) {
      const lists = everything.filter((list) => dirty.has(list));
      dirty.clear();
      const { catalogue: next, isWhole } = await listAgain(newest, lists, kept, log);
      const isBarred = !isWhole && parts.isBarred();
      if (!isBarred) await accept(next, isWhole);
      if (isWhole) retries = 0;
      else if (!isBarred) retryLater(newest);
    }
  }

  /** Without a retry, the catalog would stay incomplete for as long as the server runs. */
  function retryLater(peer: Peer): void {
    stopRetry?.();
    if (retries >= maxRetries || isClosed) return;
    stopRetry = clock.after(
      retryMs * 2 ** retries,
      () => {
        if (peer === newest && parts.isLive(peer)) listEverything();
      },
      true,
    );
    retries += 1;
  }

  function listEverything(): void {
    for (const one of everything) dirty.add(one);
    list();
  }

  async function accept(next: KeptCatalogue, isWhole: boolean): Promise<void> {
    if (isClosed) return;
    const isNew = kept === undefined || !isSame(kept, next);
    kept = next;
    // An incomplete catalog is offered, but not cached.
    if (isWhole) {
      at = clock.now();
      save();
    }
    if (isNew) await readAgain();
  }

  function list(): void {
    listing ??= listDirty().finally(() => {
      listing = undefined;
    });
  }

  return {
    get catalogue() {
      return catalogue;
    },
    get hasResources() {
      return kept?.hasResources ?? false;
    },
    get dropped() {
      return dropped;
    },
    get isFirstAwaited() {
      return kept === undefined && listing !== undefined;
    },
    get freshness() {
      if (kept === undefined) return 'none';
      // Zero means that no listing was complete.
      return at > 0 && clock.now() - at < freshMs ? 'fresh' : 'old';
    },
    get protocol() {
      return protocol;
    },
    rememberProtocol(next) {
      if (protocol === next) return;
      protocol = next;
      // Which definitions are dropped depends on the protocol version.
      void readAgain();
      save();
    },
    listAll(peer) {
      newest = peer;
      retries = 0;
      listEverything();
    },
    listed: () => listing ?? Promise.resolve(),
    listSoon(peer, changed) {
      newest = peer;
      dirty.add(changed);
      if (changed === 'resources') dirty.add('templates');
      stopSoon ??= clock.after(
        Math.max(swarmMs, changePace.waitMs()),
        () => {
          changePace.pass();
          stopSoon = undefined;
          list();
        },
        true,
      );
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      isClosed = true;
      stopSoon?.();
      stopRetry?.();
      listeners.clear();
    },
  };
}

const texts = ['tools', 'prompts', 'resources', 'templates'] as const;

function isSame(a: KeptCatalogue, b: KeptCatalogue): boolean {
  return (
    a.instructions === b.instructions &&
    a.hasResources === b.hasResources &&
    texts.every(
      (list) => a[list].length === b[list].length && a[list].every((text, index) => text === b[list][index]),
    )
  );
}

function sizeOf(kept: KeptCatalogue): number {
  return texts.flatMap((list) => kept[list]).reduce((sum, text) => sum + text.length, 0);
}

async function inTurns(reading: Reading): Promise<Catalogue> {
  let begun = performance.now();
  for (;;) {
    const { done, value } = reading.next();
    if (done === true) return value;
    if (performance.now() - begun < turnMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    begun = performance.now();
  }
}
