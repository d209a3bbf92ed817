import type { BackgroundReport, BackgroundState, ShellEnd } from '../../kernel/shell-port.js';
import { ToolFailure } from '../../kernel/tool-failure.js';
import type { CommandRun } from './command-run.js';
import { createFilter } from './filter.js';

/** Commands that go on after their call. Each belongs to one session, and to every other it does not exist. */
export interface Background {
  /** Throws when the session, or the gate, has as many as it may. */
  reserve(sessionId: string): () => void;
  add(sessionId: string, command: string, run: CommandRun): string;
  poll(sessionId: string, id: string, filter: string | undefined): Promise<BackgroundReport>;
  stop(sessionId: string, id: string): Promise<BackgroundReport>;
  close(): Promise<void>;
}

interface Entry {
  readonly id: string;
  readonly sessionId: string;
  readonly command: string;
  readonly run: CommandRun;
  state: BackgroundState;
  end?: ShellEnd;
  reason?: string;
  createdPaths?: readonly string[];
  durationMs?: number;
  patience: NodeJS.Timeout;
}

const maxOfSession = 8;
const maxOfAll = 32;
/** Ended ones whose output can still be asked for. */
const maxEnded = 64;
const usualIdleMs = 3600 * 1000;

export function openBackground(idleMs = usualIdleMs): Background {
  const entries = new Map<string, Entry>();
  const reserved = new Map<string, number>();
  const sum = (counts: Iterable<number>) => [...counts].reduce((total, count) => total + count, 0);
  const running = (sessionId?: string) =>
    [...entries.values()].filter(
      (entry) => entry.state === 'running' && (sessionId ?? entry.sessionId) === entry.sessionId,
    ).length;

  const forget = (entry: Entry) => {
    clearTimeout(entry.patience);
    entries.delete(entry.id);
    return entry.run.capture.close();
  };
  const forgetOldest = () => {
    const ended = [...entries.values()].filter((entry) => entry.state !== 'running');
    for (const entry of ended.slice(0, Math.max(0, ended.length - maxEnded))) void forget(entry);
  };
  const waitForPoll = (entry: Entry) => {
    clearTimeout(entry.patience);
    entry.patience = setTimeout(() => lose(entry), idleMs).unref();
  };
  const lose = (entry: Entry) => {
    if (entry.state !== 'running') return void forget(entry);
    entry.state = 'killed';
    entry.reason = `Nobody asked for its output for ${Math.round(idleMs / 60_000)} minutes.`;
    entry.run.end();
    waitForPoll(entry);
  };
  const find = (sessionId: string, id: string): Entry => {
    const entry = entries.get(id);
    if (entry?.sessionId === sessionId) return entry;
    const own = [...entries.values()].filter((other) => other.sessionId === sessionId);
    throw unknownId(own.map((other) => other.id));
  };

  return {
    reserve(sessionId) {
      const own = reserved.get(sessionId) ?? 0;
      if (running(sessionId) + own >= maxOfSession) throw tooMany(maxOfSession, 'this session');
      if (running() + sum(reserved.values()) >= maxOfAll) throw tooMany(maxOfAll, 'the gate');
      reserved.set(sessionId, own + 1);
      return () => {
        const left = (reserved.get(sessionId) ?? 1) - 1;
        if (left === 0) reserved.delete(sessionId);
        else reserved.set(sessionId, left);
      };
    },
    add(sessionId, command, run) {
      const id = `bash_${Math.random().toString(36).slice(2, 10).padEnd(8, '0')}`;
      const patience = setTimeout(() => {}, 0);
      const entry: Entry = { id, sessionId, command, run, state: 'running', patience };
      entries.set(id, entry);
      waitForPoll(entry);
      void run.ended.then(({ exitCode, signal, createdPaths, durationMs }) => {
        if (entry.state === 'running') entry.state = 'finished';
        entry.end = { exitCode, ...(signal !== undefined && { signal }) };
        entry.createdPaths = createdPaths;
        entry.durationMs = durationMs;
        forgetOldest();
      });
      return id;
    },
    async poll(sessionId, id, filter) {
      const entry = find(sessionId, id);
      waitForPoll(entry);
      return report(entry, filter);
    },
    async stop(sessionId, id) {
      const entry = find(sessionId, id);
      waitForPoll(entry);
      if (entry.state === 'running') {
        entry.state = 'killed';
        entry.run.end();
      }
      await entry.run.ended;
      return report(entry, undefined);
    },
    async close() {
      const all = [...entries.values()];
      for (const entry of all) entry.run.end();
      await Promise.all(all.map((entry) => entry.run.ended));
      await Promise.all(all.map(forget));
    },
  };
}

async function report(entry: Entry, filter: string | undefined): Promise<BackgroundReport> {
  const { id, command, run, state, end, reason } = entry;
  const wanted = createFilter(filter);
  const output = await run.capture.take({ isLast: end !== undefined, ...(wanted && { filter: wanted }) });
  return {
    ...output,
    id,
    command,
    // A command that was told to end runs until it has ended.
    state: end === undefined ? 'running' : state,
    ...(end && { end }),
    ...(reason !== undefined && { reason }),
    createdPaths: entry.createdPaths ?? [],
    durationMs: entry.durationMs ?? Math.round(performance.now() - run.startedAt),
    sandbox: run.sandbox,
    cwd: run.cwd,
  };
}

function unknownId(known: readonly string[]): ToolFailure {
  return new ToolFailure('not_found', 'This session has no background command with that id.', {
    reason: 'unknown_background_id',
    details: { known_ids: known },
    suggestion:
      'Use the background_id that Bash returned for run_in_background; ended ones are kept for a while.',
  });
}

function tooMany(limit: number, whose: string): ToolFailure {
  return new ToolFailure(
    'bad_state',
    `${limit} background commands of ${whose} run already; end one first.`,
    {
      reason: 'too_many_background_commands',
      suggestion: 'End one with KillBash, or run this one in the foreground.',
      retryable: true,
    },
  );
}
