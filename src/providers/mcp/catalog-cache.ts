import type { Catalogue, Protocol } from '../../core/index.js';
import type { Log } from '../../ports/log.js';
import type { CatalogueRules } from './catalog-reader.js';
import { createCatalogReading } from './catalog-reading.js';
import type { KeptCatalogue, UpstreamMemory } from './memory-port.js';
import type { Clock } from './options.js';
import type { Peer } from './peer.js';
import { createRelisting } from './relisting.js';

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

const mostKept = 16 * 1024 * 1024;
const freshMs = 24 * 3600_000;
const eraMs = 7 * 24 * 3600_000;

export function openCatalogCache(parts: CatalogCacheParts): CatalogCache {
  const { memory, key, clock } = parts;
  const record = memory.read(key);
  const listeners = new Set<() => void>();
  let protocol = record && clock.now() - record.at < eraMs ? record.protocol : undefined;
  let at = record?.at ?? 0;
  let kept: KeptCatalogue | undefined = record?.catalogue;
  const reading = createCatalogReading(
    kept,
    () => ({ ...parts.rules, checksHeaders: parts.isHttp && protocol === 'modern' }),
    () => {
      for (const listener of listeners) listener();
    },
  );
  const relisting = createRelisting({ ...parts, kept: () => kept, accept });

  function save(): void {
    // The next start reads the cached catalog in one go.
    const remembered = kept !== undefined && sizeOf(kept) <= mostKept && { catalogue: kept };
    memory.write(key, { at, ...remembered, ...(protocol && { protocol }) });
  }

  async function accept(next: KeptCatalogue, isWhole: boolean): Promise<void> {
    const isNew = kept === undefined || !isSame(kept, next);
    kept = next;
    // An incomplete catalog is offered, but not cached.
    if (isWhole) {
      at = clock.now();
      save();
    }
    if (isNew) await reading.readAgain(kept);
  }

  return {
    get catalogue() {
      return reading.catalogue;
    },
    get hasResources() {
      return kept?.hasResources ?? false;
    },
    get dropped() {
      return reading.dropped;
    },
    get isFirstAwaited() {
      return kept === undefined && relisting.current !== undefined;
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
      void reading.readAgain(kept);
      save();
    },
    listAll: (peer) => relisting.listAll(peer),
    listed: () => relisting.current ?? Promise.resolve(),
    listSoon: (peer, changed) => relisting.listSoon(peer, changed),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      reading.close();
      relisting.close();
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
