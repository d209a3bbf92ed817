import { type Catalogue, emptyCatalogue } from '../../core/index.js';
import { type CatalogueRules, readCatalogue, readInSteps, type Reading } from './catalog-reader.js';
import type { KeptCatalogue } from './memory-port.js';

/** The catalog as read from the texts of the server. */
export interface CatalogReading {
  readonly catalogue: Catalogue;
  /** Definitions that are not offered, with the reason. */
  readonly dropped: readonly string[];
  /** Yields to other callers in between. A later reading cancels this one. */
  readAgain(texts: KeptCatalogue | undefined): Promise<void>;
  close(): void;
}

/** How long to read before others get a turn. */
const turnMs = 15;

export function createCatalogReading(
  first: KeptCatalogue | undefined,
  rules: () => CatalogueRules,
  onChange: () => void,
): CatalogReading {
  let dropped: string[] = [];
  let catalogue = first === undefined ? emptyCatalogue : readCatalogue(first, rulesInto(dropped));
  let readings = 0;
  let last = Promise.resolve();
  let isClosed = false;

  function rulesInto(into: string[]): CatalogueRules {
    return { ...rules(), onDropped: (what) => void into.push(what) };
  }

  async function read(texts: KeptCatalogue, reading: number): Promise<void> {
    const found: string[] = [];
    const next = await inTurns(readInSteps(texts, rulesInto(found)));
    if (reading !== readings) return last;
    if (isClosed) return;
    dropped = found;
    catalogue = next;
    onChange();
  }

  return {
    get catalogue() {
      return catalogue;
    },
    get dropped() {
      return dropped;
    },
    readAgain(texts) {
      readings += 1;
      last = texts === undefined ? Promise.resolve() : read(texts, readings);
      return last;
    },
    close() {
      isClosed = true;
    },
  };
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
