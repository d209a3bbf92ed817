import { type Catalogue, emptyCatalogue, type Era, type Log } from '../../kernel/index.js';
import { type CatalogueRules, readCatalogue } from './catalogue-reader.js';
import { listAgain } from './lists.js';
import type { KeptCatalogue, UpstreamMemory } from './memory-port.js';
import type { Clock } from './options.js';
import type { ListName, Peer } from './peer.js';

export interface KeeperParts {
  readonly rules: Omit<CatalogueRules, 'checksHeaders'>;
  /** Whether the server is reached over HTTP, where parameters may become headers. */
  readonly isHttp: boolean;
  readonly memory: UpstreamMemory;
  readonly key: string;
  /** Whether this is the server as it runs now. */
  readonly isLive: (peer: Peer) => boolean;
  /** Whether lists fail only because nobody has logged in: then nothing is learned from them. */
  readonly isBarred: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a server offers: from memory at first, then as it lists it, then as it changes. */
export interface CatalogueKeeper {
  readonly catalogue: Catalogue;
  readonly hasResources: boolean;
  /** None: nothing is known. Old: known, but it should be listed again. */
  readonly freshness: 'none' | 'old' | 'fresh';
  /** Whether the server was asked for the first time and has not answered yet. */
  readonly isFirstAwaited: boolean;
  readonly era: Era | undefined;
  rememberEra(era: Era): void;
  /** Lists everything, now. */
  listAll(peer: Peer): void;
  /** Resolves when nothing is being listed. */
  listed(): Promise<void>;
  /** Lists again what changed, a moment later: changes come in swarms. */
  listSoon(peer: Peer, list: 'tools' | 'prompts' | 'resources'): void;
  onChange(listener: () => void): () => void;
  close(): void;
}

const swarmMs = 100;
/** The first pause before a list that failed is asked for again; each is twice as long. */
const retryMs = 1000;
const maxRetries = 6;
const freshMs = 24 * 3600_000;
const eraMs = 7 * 24 * 3600_000;
const everything: readonly ListName[] = ['tools', 'prompts', 'resources', 'templates'];

export function openCatalogueKeeper(parts: KeeperParts): CatalogueKeeper {
  const { memory, key, clock, log } = parts;
  const record = memory.read(key);
  const listeners = new Set<() => void>();
  const dirty = new Set<ListName>();
  let era = record && clock.now() - record.at < eraMs ? record.era : undefined;
  let at = record?.at ?? 0;
  let kept: KeptCatalogue | undefined = record?.catalogue;
  let catalogue = kept === undefined ? emptyCatalogue : read(kept);
  let listing: Promise<void> | undefined;
  let newest: Peer | undefined;
  let stopSoon: (() => void) | undefined;
  let stopRetry: (() => void) | undefined;
  let retries = 0;
  let isClosed = false;

  function read(texts: KeptCatalogue): Catalogue {
    return readCatalogue(texts, { ...parts.rules, checksHeaders: parts.isHttp && era === 'modern' });
  }

  function save(): void {
    memory.write(key, { at, ...(kept && { catalogue: kept }), ...(era && { era }) });
  }

  async function listDirty(): Promise<void> {
    while (dirty.size > 0 && newest !== undefined && !isClosed) {
      const lists = everything.filter((list) => dirty.has(list));
      dirty.clear();
      const { catalogue: next, isWhole } = await listAgain(newest, lists, kept, log);
      const isBarred = !isWhole && parts.isBarred();
      if (!isBarred) accept(next, isWhole);
      if (isWhole) retries = 0;
      else if (!isBarred) retryLater(newest);
    }
  }

  /** A server that lives on after a failed list would otherwise be known by half for as long as it runs. */
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

  function accept(next: KeptCatalogue, isWhole: boolean): void {
    if (isClosed) return;
    const isNew = kept === undefined || JSON.stringify(kept) !== JSON.stringify(next);
    kept = next;
    // What is only half known is shown, but not kept for the next start.
    if (isWhole) {
      at = clock.now();
      save();
    }
    if (!isNew) return;
    catalogue = read(next);
    for (const listener of listeners) listener();
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
    get isFirstAwaited() {
      return kept === undefined && listing !== undefined;
    },
    get freshness() {
      if (kept === undefined) return 'none';
      // Never listed whole: what is there is only a part.
      return at > 0 && clock.now() - at < freshMs ? 'fresh' : 'old';
    },
    get era() {
      return era;
    },
    rememberEra(next) {
      if (era === next) return;
      era = next;
      // What is dropped depends on the era.
      if (kept !== undefined) catalogue = read(kept);
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
        swarmMs,
        () => {
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
