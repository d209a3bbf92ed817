import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Remembers across restarts which paths were created while commands ran, so that they don't displace older files. */
export interface MadePlaces {
  add(paths: readonly string[]): void;
  /** Puts older paths first and otherwise keeps the order. */
  sort(paths: readonly string[]): readonly string[];
}

export function createMadePlaces(stateDir: string): MadePlaces {
  const file = join(stateDir, 'made-places.jsonl');
  let made: Set<string> | undefined;
  const load = (): Set<string> => (made ??= loadRecord(file));
  return {
    add(paths) {
      const known = load();
      const added = paths.filter((path) => !known.has(path));
      if (added.length === 0) return;
      for (const path of added) known.add(path);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      appendFileSync(file, linesOf(added), { mode: 0o600 });
    },
    sort(paths) {
      const known = load();
      return [...paths.filter((path) => !known.has(path)), ...paths.filter((path) => known.has(path))];
    },
  };
}

const linesOf = (paths: Iterable<string>): string =>
  [...paths].map((path) => `${JSON.stringify(path)}\n`).join('');

/** Drops paths that no longer exist, so that the record stays small. */
function loadRecord(file: string): Set<string> {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    const paths = new Set(lines.flatMap(pathIn));
    const kept = new Set([...paths].filter((path) => existsSync(path)));
    if (kept.size < paths.size) {
      writeFileSync(`${file}.new`, linesOf(kept), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    }
    return kept;
  } catch {
    // There is no record yet.
    return new Set();
  }
}

function pathIn(line: string): readonly string[] {
  try {
    const path: unknown = JSON.parse(line);
    return typeof path === 'string' ? [path] : [];
  } catch {
    // A gateway was killed while it wrote its last line.
    return [];
  }
}
