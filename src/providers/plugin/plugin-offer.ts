import { type Catalogue, emptyCatalogue } from '../../core/index.js';
import type { RawOffer } from './offer-memory.js';
import { toolsOf } from './operation-tool.js';
import type { PluginOptions } from './options.js';

/** What a plugin offers: from the cache at first, then as its first process lists it. */
export interface PluginOffer {
  readonly current: RawOffer | undefined;
  readonly catalogue: Catalogue;
  /** A process of the plugin has listed its operations. Names and schemas stay fixed after the first one. */
  accept(next: RawOffer): void;
  /** Whether a later process lists this operation differently. */
  hasChanged(operation: string): boolean;
  onChange(listener: () => void): () => void;
}

export function createPluginOffer(options: PluginOptions): PluginOffer {
  const { log, memory, identity } = options;
  const listeners = new Set<() => void>();
  let current = options.closed === undefined ? memory.read(identity) : undefined;
  let catalogue = catalogueOf(options, current);
  let isFrozen = false;
  let changed: ReadonlySet<string> = new Set();

  return {
    get current() {
      return current;
    },
    get catalogue() {
      return catalogue;
    },
    accept(next) {
      if (isFrozen) {
        changed = changedIn(current, next);
        if (changed.size > 0)
          log(
            'warn',
            'the plugin lists different operations than before; changed operations are not called',
            {
              operations: [...changed],
            },
          );
        return;
      }
      isFrozen = true;
      if (current !== undefined && JSON.stringify(current) === JSON.stringify(next)) return;
      current = next;
      catalogue = catalogueOf(options, next);
      memory.write(identity, next);
      for (const listener of [...listeners]) listener();
    },
    hasChanged: (operation) => changed.has(operation),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function catalogueOf({ name, offers, log }: PluginOptions, offer: RawOffer | undefined): Catalogue {
  if (offer === undefined) return emptyCatalogue;
  const wanted = offer.operations.filter((operation) => offers(operation.name));
  return {
    ...emptyCatalogue,
    tools: toolsOf(name, wanted, (message, fields) => log('warn', message, fields)),
  };
}

function changedIn(before: RawOffer | undefined, after: RawOffer): ReadonlySet<string> {
  const now = new Map(after.operations.map((one) => [one.name, JSON.stringify(one)]));
  const gone = (before?.operations ?? []).filter((one) => now.get(one.name) !== JSON.stringify(one));
  return new Set(gone.map((one) => one.name));
}
