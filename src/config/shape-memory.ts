import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Of } from '../lib/sha256.js';
import type { TreeShape } from './tree-shape.js';

/** Caches the structure of files, so that an unchanged file is read without the YAML library. */
export interface ShapeMemory {
  /** Matches only exactly these bytes. */
  recall(file: string, sha256: string): TreeShape | undefined;
  keep(file: string, sha256: string, shape: TreeShape): void;
}

/** Reading longer ones back takes longer than it saves. */
const longestShape = 50_000;
/** When the cache holds more files than this, it is cleared. */
const mostKept = 1000;

/** Shapes written by another program version are ignored, because it may read the same file differently. */
export function openShapeMemory(stateDirectory: string, version: string): ShapeMemory {
  const folder = join(stateDirectory, 'configs');
  const keptIn = (file: string): string => join(folder, `${sha256Of(file).slice(0, 32)}.json`);
  return {
    recall(file, sha256) {
      try {
        const kept: unknown = JSON.parse(readFileSync(keptIn(file), 'utf8'));
        return isKept(kept) && kept.version === version && kept.sha256 === sha256 ? kept.shape : undefined;
      } catch {
        // Missing or damaged: the file is parsed as YAML.
        return undefined;
      }
    },
    keep(file, sha256, shape) {
      if (shape.length > longestShape) return;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        if (readdirSync(folder).length >= mostKept) emptyFolder(folder);
        // Written in place without a draft: a partial record is invalid JSON and is ignored.
        writeFileSync(keptIn(file), JSON.stringify({ version, sha256, shape }), { mode: 0o600 });
      } catch {
        // Without the cache, the next start is only slower.
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
