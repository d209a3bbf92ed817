import type { Log } from '../../ports/log.js';
import { listAgain } from './lists.js';
import type { KeptCatalogue } from './memory-port.js';
import type { Clock } from './options.js';
import { createPace } from './pace.js';
import type { ListName, Peer } from './peer.js';

export interface RelistingParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Whether this is the currently running server. */
  readonly isLive: (peer: Peer) => boolean;
  /** Whether lists fail because a login is missing. Such failures say nothing about the catalog. */
  readonly isBarred: () => boolean;
  readonly kept: () => KeptCatalogue | undefined;
  readonly accept: (next: KeptCatalogue, isWhole: boolean) => Promise<void>;
}

/** Lists what a server offers: one listing at a time, again after a failure, and soon after a change. */
export interface Relisting {
  /** Set while something is being listed. */
  readonly current: Promise<void> | undefined;
  /** Lists everything, now. */
  listAll(peer: Peer): void;
  /** Lists what changed, after a short delay, because changes come in bursts. */
  listSoon(peer: Peer, list: 'tools' | 'prompts' | 'resources'): void;
  close(): void;
}

const swarmMs = 100;
/** A server with frequent changes is listed this often without delay, then once per second. */
const changesAtOnce = 10;
/** The first pause before a failed list is retried; each further pause doubles. */
const retryMs = 1000;
const maxRetries = 6;
const everything: readonly ListName[] = ['tools', 'prompts', 'resources', 'templates'];

export function createRelisting(parts: RelistingParts): Relisting {
  const { clock, log } = parts;
  const dirty = new Set<ListName>();
  const changePace = createPace(clock, changesAtOnce, 1);
  let current: Promise<void> | undefined;
  let newest: Peer | undefined;
  let stopSoon: (() => void) | undefined;
  let stopRetry: (() => void) | undefined;
  let retries = 0;
  let isClosed = false;

  async function listDirty(): Promise<void> {
    while (dirty.size > 0 && newest !== undefined && !isClosed) {
      const lists = everything.filter((list) => dirty.has(list));
      dirty.clear();
      const { catalogue: next, isWhole } = await listAgain(newest, lists, parts.kept(), log);
      const isBarred = !isWhole && parts.isBarred();
      if (!isBarred) await accept(next, isWhole);
      if (isWhole) retries = 0;
      else if (!isBarred) retryLater(newest);
    }
  }

  async function accept(next: KeptCatalogue, isWhole: boolean): Promise<void> {
    if (!isClosed) await parts.accept(next, isWhole);
  }

  /** Without a retry, the catalog would stay incomplete for as long as the server runs. */
  function retryLater(peer: Peer): void {
    stopRetry?.();
    if (retries >= maxRetries || isClosed) return;
    const retry = (): void => {
      if (peer === newest && parts.isLive(peer)) listEverything();
    };
    stopRetry = clock.after(retryMs * 2 ** retries, retry, true);
    retries += 1;
  }

  function listEverything(): void {
    for (const one of everything) dirty.add(one);
    list();
  }

  function list(): void {
    current ??= listDirty().finally(() => {
      current = undefined;
    });
  }

  return {
    get current() {
      return current;
    },
    listAll(peer) {
      newest = peer;
      retries = 0;
      listEverything();
    },
    listSoon(peer, changed) {
      newest = peer;
      dirty.add(changed);
      if (changed === 'resources') dirty.add('templates');
      const start = (): void => {
        changePace.pass();
        stopSoon = undefined;
        list();
      };
      stopSoon ??= clock.after(Math.max(swarmMs, changePace.waitMs()), start, true);
    },
    close() {
      isClosed = true;
      stopSoon?.();
      stopRetry?.();
    },
  };
}
