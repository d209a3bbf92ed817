import { join } from 'node:path';
import { messageOf } from '../lib/error-message.js';
import { isRecord } from '../lib/is-record.js';
import { withFileLock } from '../lib/file-lock.js';
import { readPrivateFile, replacePrivateFile } from './private-file.js';
import { createProblem, type Problem } from './problem.js';
import { prepareStateDirectory, stateDirectoryProblem } from './state-directory.js';

/** Stored values for `${NAME}` that are not in the environment, readable by this user only. */
export interface Secrets {
  readonly file: string;
  valueOf(name: string): string | undefined;
  names(): readonly string[];
  /** Why the file is ignored, if it is unsafe or corrupt. */
  problem(): Problem | undefined;
  /** Stores values; undefined deletes one. If it returns a problem, nothing was changed. */
  keep(values: Readonly<Record<string, string | undefined>>): Problem | undefined;
}

const LARGEST = 1024 * 1024;

/** Reads the file on first use, once. */
export function openSecrets(directory: string): Secrets {
  const file = join(directory, 'secrets.json');
  let known: Reading | undefined;
  const reading = (): Reading => (known ??= read(directory, file));
  return {
    file,
    valueOf: (name) => reading().values.get(name),
    names: () => [...reading().values.keys()],
    problem: () => reading().problem,
    keep(values) {
      const unprepared = prepareStateDirectory(directory);
      if (unprepared !== undefined) return unprepared;
      try {
        return withFileLock(`${file}.lock`, (isHeld) => {
          const now = read(directory, file);
          if (now.problem === undefined) replacePrivateFile(file, textOf(merged(now.values, values)), isHeld);
          known = undefined;
          return now.problem;
        });
      } catch (error) {
        const reason = messageOf(error);
        return createProblem(file, '', {
          code: 'secrets.unwritable',
          message: `The secrets file was not changed: ${reason}.`,
        });
      }
    },
  };
}

interface Reading {
  readonly values: ReadonlyMap<string, string>;
  readonly problem?: Problem;
}

// Fails closed: an unsafe or corrupt file has no values.
function read(directory: string, file: string): Reading {
  const unsafe = stateDirectoryProblem(directory);
  if (unsafe !== undefined) return { values: new Map(), problem: unsafe };
  const content = readPrivateFile(file, { largest: LARGEST, forbidden: 0o077 });
  if (content.state === 'absent') return { values: new Map() };
  const values = content.state === 'sound' ? valuesIn(content.text) : undefined;
  if (values !== undefined) return { values };
  const state = content.state === 'unsafe' ? 'unsafe' : 'corrupt';
  const reason = content.state === 'sound' ? 'it was not written by Tidegate' : content.reason;
  const message = `The secrets file is ignored: ${reason}.`;
  return { values: new Map(), problem: createProblem(file, '', { code: `secrets.${state}`, message }) };
}

function valuesIn(text: string): ReadonlyMap<string, string> | undefined {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(content) || content['version'] !== 1 || !isRecord(content['values'])) return undefined;
  const entries = Object.entries(content['values']);
  return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')
    ? new Map(entries)
    : undefined;
}

function merged(
  before: ReadonlyMap<string, string>,
  values: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, string> {
  const next = new Map(before);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) next.delete(name);
    else next.set(name, value);
  }
  return next;
}

function textOf(values: ReadonlyMap<string, string>): string {
  return `${JSON.stringify({ version: 1, values: Object.fromEntries(values) }, undefined, 2)}\n`;
}
