import { sha256Of } from '../../lib/sha256.js';
import type { Guards } from './guards.js';

/** A workspace file that runs with a trusted program; for a package, its folder. */
export interface CoveredFile {
  readonly file: string;
  readonly sha256: string;
}

/** Everything that agents could write and that would run. */
export interface Cover {
  /** Sorted by name. */
  readonly files: readonly CoveredFile[];
  /** Files that also load computed names, which can't be followed. */
  readonly computed: readonly string[];
  /** What else decides which code is loaded. Locked, but not part of the hash. */
  readonly guards: Guards;
  /** Why it cannot be covered completely. If set, nothing in it may be trusted. */
  readonly problem?: string;
}

/** One hash for a whole cover. Undefined: there is nothing to trust. */
export function digestOfCover({ files }: Pick<Cover, 'files'>): string | undefined {
  if (files.length === 0) return undefined;
  const parts = files.map(({ file, sha256 }) => [file, sha256]);
  return sha256Of(JSON.stringify(['covered and locked files', parts]));
}

/** The names of files that were changed, added or removed. */
export function changedFiles(
  before: Readonly<Record<string, string>>,
  now: readonly CoveredFile[],
): readonly string[] {
  const present = new Set(now.map(({ file }) => file));
  return [
    ...now.filter(({ file, sha256 }) => before[file] !== sha256).map(({ file }) => file),
    ...Object.keys(before).filter((file) => !present.has(file)),
  ];
}
