import { join, resolve } from 'node:path';
import { withFileLock } from './file-lock.js';
import { createProblem, type Problem } from './problem.js';
import { prepareStateDirectory, stateDirectoryProblem } from './state-directory.js';
import { readTrustFile, type TrustRecord, writeTrustFile } from './trust-file.js';

/**
 * Which files may start things, by their content. Every question is answered from the disk, never from memory. Files
 * are named by the real path under which they were read (`Config.file`).
 */
export interface Trust {
  /** True only for the file and the very content that were recorded. */
  isTrusted(file: string, sha256: string | undefined): boolean;
  /** A problem means that nothing was recorded. */
  record(file: string, sha256: string): Problem | undefined;
  forget(file: string): Problem | undefined;
  /** Oldest first. */
  list(): readonly TrustRecord[];
  /** Why nothing is trusted, when the record cannot be believed. */
  problem(): Problem | undefined;
}

/** The oldest entries make room; their files have to be trusted anew. */
const MOST_RECORDS = 1_000;

export function openTrust(directory: string, now: () => Date = () => new Date()): Trust {
  const path = join(directory, 'trust.json');
  return {
    isTrusted(file, sha256) {
      if (sha256 === undefined) return false;
      const name = nameOf(file);
      return read(directory, path).records.some((record) => record.file === name && record.sha256 === sha256);
    },
    record(file, sha256) {
      const added = { file: nameOf(file), sha256, recorded: now().toISOString() };
      return change(directory, path, (records) =>
        [...without(records, added.file), added].slice(-MOST_RECORDS),
      );
    },
    forget: (file) => change(directory, path, (records) => without(records, nameOf(file))),
    list: () => read(directory, path).records,
    problem: () => read(directory, path).problem,
  };
}

interface Reading {
  readonly records: readonly TrustRecord[];
  readonly problem?: Problem;
}

// Fails closed: with any doubt there are no records.
function read(directory: string, path: string): Reading {
  const unsafe = stateDirectoryProblem(directory);
  if (unsafe !== undefined) return { records: [], problem: unsafe };
  const content = readTrustFile(path);
  if (content.state === 'sound') return { records: content.records };
  const message = `Nothing is trusted, because of this record of trusted files: ${content.reason}.`;
  return { records: [], problem: createProblem(path, '', { code: `trust.${content.state}`, message }) };
}

type Change = (records: readonly TrustRecord[]) => readonly TrustRecord[];

function change(directory: string, path: string, next: Change): Problem | undefined {
  const unprepared = prepareStateDirectory(directory);
  if (unprepared !== undefined) return unprepared;
  try {
    return withFileLock(`${path}.lock`, (isHeld) => {
      const { records, problem } = read(directory, path);
      if (problem === undefined) writeTrustFile(path, next(records), isHeld);
      return problem;
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return createProblem(path, '', {
      code: 'trust.unwritable',
      message: `The record was not changed: ${reason}.`,
    });
  }
}

function without(records: readonly TrustRecord[], file: string): readonly TrustRecord[] {
  return records.filter((record) => record.file !== file);
}

// Links are resolved once, by whoever reads the file: resolving them again here could find another file by then.
function nameOf(realPath: string): string {
  return resolve(realPath);
}
