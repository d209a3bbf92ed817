import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TreeShape } from './tree-shape.js';

/** Remembers how files were built, so that one that did not change is used without the YAML library. */
export interface ShapeMemory {
  /** Only of exactly these bytes. */
  recall(file: string, sha256: string): TreeShape | undefined;
  keep(file: string, sha256: string, shape: TreeShape): void;
}

/** Longer ones take longer to read back than they save. */
const longestShape = 50_000;
/** So many files are more than anyone works with; then it begins anew. */
const mostKept = 1000;

/** Shapes of another version of the program are forgotten: it may read the same file in another way. */
export function openShapeMemory(stateDirectory: string, version: string): ShapeMemory {
  const folder = join(stateDirectory, 'configs');
  const keptIn = (file: string): string =>
    join(folder, `${createHash('sha256').update(file).digest('hex').slice(0, 32)}.json`);
  return {
    recall(file, sha256) {
      try {
        const kept: unknown = JSON.parse(readFileSync(keptIn(file), 'utf8'));
        return isKept(kept) && kept.version === version && kept.sha256 === sha256 ? kept.shape : undefined;
      } catch {
        // Never kept, or damaged: the file is read as YAML.
        return undefined;
      }
    },
    keep(file, sha256, shape) {
      if (shape.length > longestShape) return;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        if (readdirSync(folder).length >= mostKept) emptyFolder(folder);
        // In place: half of a record is not JSON, so it counts as none, and no draft can be left behind.
        writeFileSync(keptIn(file), JSON.stringify({ version, sha256, shape }), { mode: 0o600 });
      } catch {
        // It only costs the next start some time.
      }
    },
  };
}

function emptyFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true });
}

interface Kept {
  readonly version: string;
  readonly sha256: string;
  readonly shape: TreeShape;
}

function isKept(value: unknown): value is Kept {
  if (typeof value !== 'object' || value === null || !('shape' in value)) return false;
  return Array.isArray(value.shape) && value.shape.every(Number.isSafeInteger);
}
