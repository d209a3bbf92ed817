import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolCard } from '../../kernel/index.js';

/** Remembers what a trusted tool file defines, so that the next start runs none of them. */
export interface CardMemory {
  recall(sha256: string): ToolCard | undefined;
  keep(sha256: string, card: ToolCard): void;
}

/** The version stands in the name: another program may make another card of the same file. */
export function openCardMemory(directory: string, version: string): CardMemory {
  const fileOf = (sha256: string): string => join(directory, `${version}-${sha256}.json`);
  return {
    recall(sha256) {
      try {
        const card: unknown = JSON.parse(readFileSync(fileOf(sha256), 'utf8'));
        // Written by us alone, in a directory that is ours alone.
        return typeof card === 'object' && card !== null && 'inputSchema' in card
          ? (card as ToolCard)
          : undefined;
      } catch {
        // Never kept, or damaged: the file is run again.
        return undefined;
      }
    },
    keep(sha256, card) {
      try {
        mkdirSync(directory, { recursive: true, mode: 0o700 });
        const draft = `${fileOf(sha256)}.${String(process.pid)}.tmp`;
        writeFileSync(draft, JSON.stringify(card), { mode: 0o600 });
        renameSync(draft, fileOf(sha256));
      } catch {
        // It only costs the next start some time.
      }
    },
  };
}
