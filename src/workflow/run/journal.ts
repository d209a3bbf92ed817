import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs';
import type { StepResult } from './result.js';

/** Where a step led, and whether a condition chose it. */
export interface Way {
  readonly to: string;
  readonly isChosen?: true;
}

/** One finished step, or one decision on the way. */
type Entry =
  | {
      readonly kind: 'step';
      readonly key: string;
      readonly name: string;
      readonly result: StepResult;
      readonly next?: Way;
    }
  | { readonly kind: 'decision'; readonly key: string; readonly value: unknown }
  | { readonly kind: 'end'; readonly end: RunEnd }
  | { readonly kind: 'resumed'; readonly at: string };

export interface RunEnd {
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly at: string;
  readonly ms: number;
  readonly message?: string;
  readonly code?: string;
  readonly exitCode: number;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

export interface RunHead {
  readonly kind: 'run';
  readonly id: string;
  readonly name: string;
  readonly file: string;
  readonly sha256: string;
  readonly cwd: string;
  readonly startedAt: string;
  readonly version: string;
  /** Without those whose names say that they are secret. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Inputs that were given and are not kept. */
  readonly withheld: readonly string[];
  /** The text of a workflow that has no file. */
  readonly text?: string;
}

/** What a run has done, so that another process can go on. A step that is in it is never done again. */
export interface Journal {
  recorded(key: string): { readonly result: StepResult; readonly next?: Way } | undefined;
  /** Results below a key, in the order in which they came. */
  below(key: string): readonly { readonly name: string; readonly result: StepResult }[];
  record(key: string, name: string, result: StepResult, next: Way | undefined): void;
  /** What was decided before, or what is decided now. */
  decide<T>(key: string, decide: () => T): T;
  end(end: RunEnd): void;
  close(): void;
}

/** Begins a journal. It is for this user alone: it holds what steps gave, as it is. */
export function beginJournal(file: string, head: RunHead): Journal {
  const descriptor = openSync(file, 'wx', 0o600);
  appendFileSync(descriptor, `${JSON.stringify(head)}\n`);
  return journalOn(descriptor, []);
}

/** Goes on with a journal. The failure that ended the run is forgotten: its step is tried again. */
export function resumeJournal(file: string, now: () => string): Journal {
  const { entries } = readJournal(file);
  const descriptor = openSync(file, 'a', 0o600);
  appendFileSync(descriptor, `\n${JSON.stringify({ kind: 'resumed', at: now() })}\n`);
  return journalOn(descriptor, entries);
}

export interface RunStep {
  readonly name: string;
  readonly key: string;
  readonly result: StepResult;
}

export interface ReadJournal {
  readonly head: RunHead | undefined;
  readonly entries: readonly Entry[];
  readonly steps: readonly RunStep[];
  /** How it ended; undefined when it did not, or was taken up again. */
  readonly end: RunEnd | undefined;
}

export function readJournal(file: string): ReadJournal {
  const lines = readFileSync(file, 'utf8').split('\n');
  // The last line of a killed process may be cut.
  const values = lines.flatMap((line): readonly (RunHead | Entry)[] => {
    try {
      return line === '' ? [] : [JSON.parse(line) as RunHead | Entry];
    } catch {
      return [];
    }
  });
  const head = values.find((value): value is RunHead => value.kind === 'run');
  const entries = values.filter((value): value is Entry => value.kind !== 'run');
  const steps = entries.flatMap((entry) => (entry.kind === 'step' ? [entry] : []));
  const last = entries.at(-1);
  return { head, entries, steps, end: last?.kind === 'end' ? last.end : undefined };
}

type StepEntry = Extract<Entry, { readonly kind: 'step' }>;

function journalOn(descriptor: number, entries: readonly Entry[]): Journal {
  /** Those that are not to be done again. */
  const steps = new Map<string, StepEntry>();
  const all = new Map<string, StepEntry>();
  const decisions = new Map<string, unknown>();
  for (const entry of entries) {
    if (entry.kind === 'decision') decisions.set(entry.key, entry.value);
    if (entry.kind !== 'step') continue;
    all.set(entry.key, entry);
    // What failed without a way on is what ended the run; so are the steps around it.
    if (entry.next !== undefined || entry.result.status === 'completed') steps.set(entry.key, entry);
  }
  const write = (entry: Entry): void => appendFileSync(descriptor, `${JSON.stringify(entry)}\n`);
  return {
    recorded: (key) => steps.get(key),
    below: (key) => [...all.values()].filter((entry) => entry.key.startsWith(`${key}/`)),
    record(key, name, result, next) {
      write({ kind: 'step', key, name, result, ...(next !== undefined && { next }) });
    },
    decide(key, decide) {
      if (decisions.has(key)) return decisions.get(key) as ReturnType<typeof decide>;
      const value = decide();
      write({ kind: 'decision', key, value });
      return value;
    },
    end: (end) => write({ kind: 'end', end }),
    close: () => closeSync(descriptor),
  };
}
