import type { Access } from '../access/index.js';
import type { Provider, Source } from '../core/index.js';
import { atMost } from '../lib/at-most.js';
import { type Catalog, mergeCatalogs } from './catalog.js';
import { claimNames, type ContestedNames, createContestedNames } from './contested-names.js';
import { keepEqual, listKinds, type Lists, listsOf } from './lists.js';
import type { NameClaims } from './name-claims.js';

/** How long the first list waits for servers that have not listed yet. */
const firstListMs = 2000;

export interface LiveCatalogParts {
  readonly providers: readonly Provider[];
  readonly access: Access;
  readonly claims: NameClaims;
  /** Called when the set of dropped names changes. */
  readonly onCollisions?: () => void;
  /** Called when a list or the set of dropped names changes. */
  readonly onChange: () => void;
}

/** What all providers offer, merged, as of now. */
export interface LiveCatalog {
  readonly providers: readonly Provider[];
  readonly catalog: Catalog;
  readonly contested: ContestedNames;
  readonly lists: Lists;
  /** Every provider has listed. */
  readonly isListed: boolean;
  /** Resolves when every provider has listed. Starts nothing. */
  readonly firstListed: Promise<void>;
  /** Waits for the first lists, once and for a limited time. */
  settle(): Promise<void>;
  /** Resolves when these providers, or all, have listed or failed to. */
  listed(sources?: readonly Source[]): Promise<void>;
  replace(providers: readonly Provider[]): void;
  close(): Promise<void>;
}

export function openLiveCatalog({
  providers: first,
  access,
  claims,
  onCollisions,
  onChange,
}: LiveCatalogParts): LiveCatalog {
  let providers = first;
  let catalog = mergeCatalogs(providers, claims);
  let contested = createContestedNames(catalog, access);
  let lists = listsOf(catalog);
  let settled: Promise<void> | undefined;
  let isListed = false;
  let tellListed = (): void => undefined;
  const firstListed = new Promise<void>((resolve) => {
    tellListed = resolve;
  });
  let unsubscribe = subscribe();

  function subscribe(): () => void {
    const stops = providers.map((provider) => provider.onChange(merge));
    return () => {
      for (const stop of stops) stop();
    };
  }

  function merge(): void {
    const [before, dropped] = [lists, catalog.collisions];
    // Before all have listed, the order of arrival must not decide.
    catalog = mergeCatalogs(providers, claims, isListed ? catalog : undefined);
    contested = createContestedNames(catalog, access);
    lists = keepEqual(before, listsOf(catalog));
    if (isListed) claimNames(catalog, claims);
    const isOther = JSON.stringify(dropped) !== JSON.stringify(catalog.collisions);
    if (isOther) onCollisions?.();
    if (isOther || listKinds.some((kind) => lists[kind] !== before[kind])) onChange();
  }

  async function settleFirst(awaited: readonly Provider[]): Promise<void> {
    await allLists(awaited);
    // The providers may have been replaced in the meantime.
    if (awaited !== providers) return;
    isListed = true;
    claimNames(catalog, claims);
    tellListed();
  }

  return {
    get providers() {
      return providers;
    },
    get catalog() {
      return catalog;
    },
    get contested() {
      return contested;
    },
    get lists() {
      return lists;
    },
    get isListed() {
      return isListed;
    },
    firstListed,
    settle: () => (settled ??= atMost(firstListMs, settleFirst(providers))),
    listed: (sources) => allLists(providers.filter(({ source }) => sources?.includes(source) ?? true)),
    replace(next) {
      unsubscribe();
      providers = next;
      unsubscribe = subscribe();
      settled = undefined;
      isListed = false;
      merge();
    },
    async close() {
      unsubscribe();
      await closeAll(providers);
    },
  };
}

async function allLists(providers: readonly Provider[]): Promise<void> {
  await Promise.allSettled(providers.map(async (provider) => provider.ready()));
}

async function closeAll(providers: readonly Provider[]): Promise<void> {
  const closings = await Promise.allSettled(providers.map(async (provider) => provider.close()));
  for (const closing of closings) if (closing.status === 'rejected') throw closing.reason;
}
