import { readFileSync } from 'node:fs';
import { isRecord } from '../../lib/is-record.js';
import { type DurableLines, openDurableLines } from './durable-lines.js';
import { isWhole, type runEnds } from './journal-shape.js';
import type { Delegation } from '../../core/index.js';
import type { StepResult } from './result.js';

/** The next state of a step, and whether a condition chose it. */
export interface Way {
  readonly to: string;
  readonly isChosen?: true;
}

/** A finished step, or a decision. */
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
  /** Includes the hash of the workflow at that time. */
  | {
      readonly kind: 'resumed';
      readonly at: string;
      readonly sha256?: string;
      /** The operator, if the run continued with operator rights instead of those of the original caller. */
      readonly takenOverBy?: string;
    };

export interface RunEnd {
  readonly status: (typeof runEnds)[number];
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
  /** Without inputs whose names look secret. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Inputs that were given but are not stored. */
  readonly withheld: readonly string[];
  /** Text of a workflow that has no file. */
  readonly text?: string;
  /** Profile that limits every session of the run. */
  readonly profile?: string;
  /** The principal that started the run. */
  readonly startedBy: string;
  /**
   * Delegation of the caller that started the run through the gateway. Such a run uses only trusted files and keeps
   * these rights unless the operator takes it over.
   */
  readonly rights?: readonly Delegation[];
  /** The gateway of the run: its configuration file and its `--tools`, if it was started with them. */
  readonly gateway?: { readonly config?: string; readonly tools?: readonly string[] };
}

/** Records what a run has done, so that another process can resume it. Recorded steps never run again. */
export interface Journal {
  recorded(key: string): { readonly result: StepResult; readonly next?: Way } | undefined;
  /** Results below a key, in the order they were recorded. */
  below(key: string): readonly { readonly name: string; readonly result: StepResult }[];
  /** Resolves when the record would survive a power loss. */
  record(key: string, name: string, result: StepResult, next: Way | undefined): Promise<void>;
  /** Returns the recorded decision, or makes and records it now. */
  decide<T>(key: string, decide: () => T): T;
  /** Totals over all finished steps, including those in loops, branches and called workflows. */
  totals(): RunTotals;
  end(end: RunEnd): Promise<void>;
  close(): void;
}

export interface RunTotals {
  readonly steps: number;
  readonly completed: number;
  readonly tokens: number;
  /** US dollars, where prices are known. */
  readonly cost: number;
}

/** Starts a journal. Only this user may read it: it contains step results in plain text. */
export function beginJournal(file: string, head: RunHead): Journal {
  const lines = openDurableLines(file, true);
  lines.add(head);
  return journalOn(lines, []);
}

/** Continues a journal. The failure that ended the run is dropped, so its step is retried. */
export function resumeJournal(
  file: string,
  resumed: { readonly at: string; readonly sha256: string; readonly takenOverBy?: string },
): Journal {
  const { entries } = readJournal(file);
  const lines = openDurableLines(file, false);
  lines.endCutLine();
  lines.add({ kind: 'resumed', ...resumed });
  return journalOn(lines, entries);
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
  /** How the run ended; undefined if it did not end or was resumed. */
  readonly end: RunEnd | undefined;
  /** Total time of all parts, without the pauses between them. */
  readonly ms: number;
  /** The journal contains invalid records and cannot be resumed. */
  readonly isBroken: boolean;
}

export function readJournal(file: string): ReadJournal {
  const lines = readFileSync(file, 'utf8').split('\n');
  const read = lines.flatMap(lineOf);
  const values = read.filter(isJournalRecord);
  const head = values.find((value): value is RunHead => value.kind === 'run');
  const entries = values.filter((value): value is Entry => value.kind !== 'run');
  const steps = entries.flatMap((entry) => (entry.kind === 'step' ? [entry] : []));
  const last = entries.at(-1);
  const end = last?.kind === 'end' ? last.end : undefined;
  return { head, entries, steps, end, ms: timeOf(head, entries), isBroken: values.length < read.length };
}

/** A killed part counts until the end of its last step. */
function timeOf(head: RunHead | undefined, entries: readonly Entry[]): number {
  let began = Date.parse(head?.startedAt ?? '');
  let before = 0;
  let part = 0;
  for (const entry of entries) {
    if (entry.kind === 'resumed') {
      before += part;
      part = 0;
      began = Date.parse(entry.at);
    } else if (entry.kind === 'end') part = entry.end.ms;
    else if (entry.kind === 'step') {
      const { startedAt, ms } = entry.result;
      part = Math.max(part, Date.parse(startedAt) + ms - began || 0);
    }
  }
  return before + part;
}

/** Skips a line cut off by a killed process, and lines that are not valid records. */
function lineOf(line: string): readonly object[] {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && 'kind' in value ? [value] : [];
  } catch {
    return [];
  }
}

function isJournalRecord(value: object): value is RunHead | Entry {
  return isWhole(value as Readonly<Record<string, unknown>>);
}

type StepEntry = Extract<Entry, { readonly kind: 'step' }>;

function journalOn(lines: DurableLines, entries: readonly Entry[]): Journal {
  /** Steps that must not run again. */
  const steps = new Map<string, StepEntry>();
  const all = new Map<string, StepEntry>();
  const decisions = new Map<string, unknown>();
  const tallies = new Map<string, RunTotals>();
  for (const entry of entries) {
    if (entry.kind === 'decision') decisions.set(entry.key, entry.value);
    if (entry.kind !== 'step') continue;
    all.set(entry.key, entry);
    tallies.set(entry.key, tallyOf(entry.result));
    // A failed step without a next state ended the run, together with the steps around it: retry them.
    if (entry.next !== undefined || entry.result.status === 'completed') steps.set(entry.key, entry);
  }
  const write = (entry: Entry): void => lines.add(entry);
  return {
    recorded: (key) => steps.get(key),
    below: (key) => [...all.values()].filter((entry) => entry.key.startsWith(`${key}/`)),
    record(key, name, result, next) {
      write({ kind: 'step', key, name, result, ...(next !== undefined && { next }) });
      tallies.set(key, tallyOf(result));
      return lines.synced();
    },
    decide(key, decide) {
      if (decisions.has(key)) return decisions.get(key) as ReturnType<typeof decide>;
      const value = decide();
      write({ kind: 'decision', key, value });
      return value;
    },
    totals: () => [...tallies.values()].reduce(summed, { steps: 0, completed: 0, tokens: 0, cost: 0 }),
    end(end) {
      write({ kind: 'end', end });
      return lines.synced();
    },
    close: () => lines.close(),
  };
}

/** Keeps only the numbers of a result, because there may be very many steps. */
function tallyOf({ status, usage }: StepResult): RunTotals {
  const { input = 0, output = 0, cost = 0 } = usage ?? {};
  return { steps: 1, completed: status === 'completed' ? 1 : 0, tokens: input + output, cost };
}

function summed(a: RunTotals, b: RunTotals): RunTotals {
  return {
    steps: a.steps + b.steps,
    completed: a.completed + b.completed,
    tokens: a.tokens + b.tokens,
    cost: a.cost + b.cost,
  };
}
