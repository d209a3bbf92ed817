import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ToolCard } from '../../kernel/index.js';

/** Remembers what the trusted tool files of a workspace define, so that the next start runs none of them. */
export interface CardMemory {
  recall(): ReadonlyMap<string, ToolCard>;
  /** By the hash of what was trusted. */
  keep(cards: ReadonlyMap<string, ToolCard>): void;
}

interface Kept {
  readonly version: string;
  readonly cards: readonly (readonly [sha256: string, card: ToolCard])[];
}

/** Cards of another version of the program are forgotten: it may make others of the same files. */
export function openCardMemory(file: string, version: string): CardMemory {
  return {
    recall() {
      try {
        const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
        return isKept(kept) && kept.version === version ? new Map(kept.cards) : new Map();
      } catch {
        // Never kept, or damaged: the files are run again.
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
        // It only costs the next start some time.
      }
    },
  };
}

/** Written by us alone, in a directory that is ours alone; so only damage is looked for. */
function isKept(value: unknown): value is Kept {
  if (typeof value !== 'object' || value === null || !('version' in value) || !('cards' in value))
    return false;
  return (
    Array.isArray(value.cards) && value.cards.every((entry) => Array.isArray(entry) && entry.length === 2)
  );
}
