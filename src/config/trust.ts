import { join, resolve } from 'node:path';
import { messageOf } from '../lib/error-message.js';
import { withFileLock } from '../lib/file-lock.js';
import { createProblem, type Problem } from './problem.js';
import { prepareStateDirectory, stateDirectoryProblem } from './state-directory.js';
import { readTrusted, sweepTrusted, writeTrusted } from './trusted-content.js';
import { readTrustFile, type TrustRecord, writeTrustFile } from './trust-file.js';

/**
 * Records which files may start programs, by their content. Every query reads from disk, never from memory. Files are
 * identified by the real path from which they were read (`Config.file`).
 */
export interface Trust {
  /** True only for exactly the recorded file and content. */
  isTrusted(file: string, sha256: string | undefined): boolean;
  /** If it returns a problem, nothing was recorded. `content` stays in effect after the file changes or is deleted. */
  record(
    file: string,
    sha256: string,
    more?: Pick<TrustRecord, 'covers' | 'guards' | 'parts'> & { readonly content?: string },
  ): Problem | undefined;
  /** The trusted content, whatever the file contains now. Undefined if no copy was stored or the copy was modified. */
  content(file: string): string | undefined;
  forget(file: string): Problem | undefined;
  /** Oldest first. */
  list(): readonly TrustRecord[];
  /** Why nothing is trusted, if the record is unsafe or corrupt. */
  problem(): Problem | undefined;
}

/** Older entries are dropped; their files have to be trusted again. */
const MOST_RECORDS = 1_000;

export function openTrust(directory: string, now: () => Date = () => new Date()): Trust {
  const path = join(directory, 'trust.json');
  return {
    isTrusted(file, sha256) {
      if (sha256 === undefined) return false;
      const name = nameOf(file);
      return read(directory, path).records.some((record) => record.file === name && record.sha256 === sha256);
    },
    record(file, sha256, { covers, guards, parts, content } = {}) {
      const more = { ...(covers && { covers }), ...(guards && { guards }), ...(parts && { parts }) };
      const added = { file: nameOf(file), sha256, recorded: now().toISOString(), ...more };
      return change(directory, path, (records) => {
        if (content !== undefined) writeTrusted(directory, sha256, content);
        return [...without(records, added.file), added].slice(-MOST_RECORDS);
      });
    },
    content(file) {
      const record = read(directory, path).records.find((one) => one.file === nameOf(file));
      return record && readTrusted(directory, record.sha256);
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

// Fails closed: an unsafe or corrupt file has no records.
function read(directory: string, path: string): Reading {
  const unsafe = stateDirectoryProblem(directory);
  if (unsafe !== undefined) return { records: [], problem: unsafe };
  const content = readTrustFile(path);
  if (content.state === 'sound') return { records: content.records };
  const message = `Nothing is trusted, because the record of trusted files cannot be used: ${content.reason}.`;
  return { records: [], problem: createProblem(path, '', { code: `trust.${content.state}`, message }) };
}

type Change = (records: readonly TrustRecord[]) => readonly TrustRecord[];

function change(directory: string, path: string, next: Change): Problem | undefined {
  const unprepared = prepareStateDirectory(directory);
  if (unprepared !== undefined) return unprepared;
  try {
    return withFileLock(`${path}.lock`, (isHeld) => {
      const { records, problem } = read(directory, path);
      if (problem !== undefined) return problem;
      const kept = next(records);
      writeTrustFile(path, kept, isHeld);
      sweepTrusted(directory, new Set(kept.map(({ sha256 }) => sha256)));
      return undefined;
    });
  } catch (error) {
    const reason = messageOf(error);
    return createProblem(path, '', {
      code: 'trust.unwritable',
      message: `The record of trusted files was not changed: ${reason}.`,
    });
  }
}

function without(records: readonly TrustRecord[], file: string): readonly TrustRecord[] {
  return records.filter((record) => record.file !== file);
}

// The reader of the file has resolved links. Resolving them again here could yield a different file.
function nameOf(realPath: string): string {
  return resolve(realPath);
}
