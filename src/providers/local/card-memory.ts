import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ToolCard } from '../../core/index.js';

/** Caches the cards of trusted tool files, so that the next start need not run them. */
export interface CardMemory {
  recall(): ReadonlyMap<string, ToolCard>;
  /** By the trusted hash. */
  keep(cards: ReadonlyMap<string, ToolCard>): void;
}

interface Kept {
  readonly version: string;
  readonly cards: readonly (readonly [sha256: string, card: ToolCard])[];
}

/** Cards from another program version are ignored, because it may create different ones from the same files. */
export function openCardMemory(file: string, version: string): CardMemory {
  return {
    recall() {
      try {
        const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
        return isKept(kept) && kept.version === version ? new Map(kept.cards) : new Map();
      } catch {
        // Missing or damaged: the files are run again.
        return new Map();
      }
    },
    keep(cards) {
      const kept: Kept = { version, cards: [...cards] };
      const draft = `${file}.${String(process.pid)}.tmp`;
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        writeFileSync(draft, JSON.stringify(kept), { mode: 0o600 });
        renameSync(draft, file);
      } catch {
        // Without the cache, the next start is only slower.
      }
    },
  };
}

/** Only we can write this file, so this checks only for damage. */
function isKept(value: unknown): value is Kept {
  if (typeof value !== 'object' || value === null || !('version' in value) || !('cards' in value))
    return false;
  return (
    Array.isArray(value.cards) && value.cards.every((entry) => Array.isArray(entry) && entry.length === 2)
  );
}
