import type { BackgroundReport, BackgroundState, ShellEnd, ShellTampering } from '../../ports/shell.js';
import { createShares } from '../../lib/shares.js';
import { ToolFailure } from '../../core/index.js';
import type { CommandRun } from './command-run.js';
import { createFilter } from './filter.js';

/** Commands that continue after their call. Each belongs to one session and does not exist for any other. */
export interface Background {
  /**
   * Throws if the session, its owner or the gateway is at its limit. Call the returned function when the command has
   * ended.
   */
  reserve(sessionId: string, owner: string | undefined): () => void;
  add(sessionId: string, command: string, run: CommandRun): string;
  poll(sessionId: string, id: string, filter: string | undefined): Promise<BackgroundReport>;
  stop(sessionId: string, id: string): Promise<BackgroundReport>;
  /** Ends the session's commands and forgets them. */
  forget(sessionId: string): Promise<void>;
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
  tampering?: ShellTampering;
  durationMs?: number;
  patience: NodeJS.Timeout;
}

const maxOfSession = 8;
const maxOfAll = 32;
const reserveOfAll = 2;
/** Ended commands whose output can still be read. */
const maxEnded = 64;
const usualIdleMs = 3600 * 1000;
const noTampering: ShellTampering = { createdPaths: [], changedPaths: [], undonePaths: [] };

export function openBackground(idleMs = usualIdleMs): Background {
  return new BackgroundCommands(idleMs);
}

class BackgroundCommands implements Background {
  readonly #idleMs: number;
  readonly #entries = new Map<string, Entry>();
  readonly #held = new Map<string, number>();
  readonly #shares = createShares(maxOfAll, reserveOfAll);

  constructor(idleMs: number) {
    this.#idleMs = idleMs;
  }

  reserve(sessionId: string, owner: string | undefined): () => void {
    const own = this.#held.get(sessionId) ?? 0;
    if (own >= maxOfSession) throw tooMany(`${maxOfSession} background commands of this session`);
    const giveBack = this.#shares.take(owner);
    if (giveBack === 'full') throw tooMany(`${maxOfAll} background commands of the gateway`);
    if (giveBack === 'share')
      throw tooMany('As many background commands as your share of the gateway allows');
    this.#held.set(sessionId, own + 1);
    return () => {
      giveBack();
      const left = (this.#held.get(sessionId) ?? 1) - 1;
      if (left === 0) this.#held.delete(sessionId);
      else this.#held.set(sessionId, left);
    };
  }

  add(sessionId: string, command: string, run: CommandRun): string {
    const id = `bash_${Math.random().toString(36).slice(2, 10).padEnd(8, '0')}`;
    const patience = setTimeout(() => {}, 0);
    const entry: Entry = { id, sessionId, command, run, state: 'running', patience };
    this.#entries.set(id, entry);
    this.#waitForPoll(entry);
    void run.ended.then(({ exitCode, signal, durationMs, breach, ...end }) => {
      if (entry.state === 'running') entry.state = breach === undefined ? 'finished' : 'killed';
      if (breach !== undefined) entry.reason = breach;
      entry.end = { exitCode, ...(signal !== undefined && { signal }) };
      const { createdPaths, changedPaths, undonePaths } = end;
      entry.tampering = { createdPaths, changedPaths, undonePaths };
      entry.durationMs = durationMs;
      this.#forgetOldest();
    });
    return id;
  }

  async poll(sessionId: string, id: string, filter: string | undefined): Promise<BackgroundReport> {
    const entry = this.#find(sessionId, id);
    this.#waitForPoll(entry);
    return report(entry, filter);
  }

  async stop(sessionId: string, id: string): Promise<BackgroundReport> {
    const entry = this.#find(sessionId, id);
    this.#waitForPoll(entry);
    if (entry.state === 'running') {
      entry.state = 'killed';
      entry.run.end();
    }
    await entry.run.ended;
    return report(entry, undefined);
  }

  forget(sessionId: string): Promise<void> {
    return this.#endAll([...this.#entries.values()].filter((entry) => entry.sessionId === sessionId));
  }

  close(): Promise<void> {
    return this.#endAll([...this.#entries.values()]);
  }

  #forget(entry: Entry) {
    clearTimeout(entry.patience);
    this.#entries.delete(entry.id);
    return entry.run.capture.close();
  }

  async #endAll(all: readonly Entry[]) {
    for (const entry of all) entry.run.end();
    await Promise.all(all.map((entry) => entry.run.ended));
    await Promise.all(all.map((entry) => this.#forget(entry)));
  }

  #forgetOldest() {
    const ended = [...this.#entries.values()].filter((entry) => entry.state !== 'running');
    for (const entry of ended.slice(0, Math.max(0, ended.length - maxEnded))) void this.#forget(entry);
  }

  #waitForPoll(entry: Entry) {
    clearTimeout(entry.patience);
    entry.patience = setTimeout(() => this.#lose(entry), this.#idleMs).unref();
  }

  #lose(entry: Entry) {
    if (entry.state !== 'running') return void this.#forget(entry);
    entry.state = 'killed';
    entry.reason = `Its output was not read for ${Math.round(this.#idleMs / 60_000)} minutes.`;
    entry.run.end();
    this.#waitForPoll(entry);
  }

  #find(sessionId: string, id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry?.sessionId === sessionId) return entry;
    const own = [...this.#entries.values()].filter((other) => other.sessionId === sessionId);
    throw unknownId(own.map((other) => other.id));
  }
}

async function report(entry: Entry, filter: string | undefined): Promise<BackgroundReport> {
  const { id, command, run, state, end, reason } = entry;
  const wanted = createFilter(filter);
  const output = await run.capture.take({ isLast: end !== undefined, ...(wanted && { filter: wanted }) });
  return {
    ...output,
    id,
    command,
    // After `stop`, the command counts as running until it has ended.
    state: end === undefined ? 'running' : state,
    ...(end && { end }),
    ...(reason !== undefined && { reason }),
    ...(entry.tampering ?? noTampering),
    durationMs: entry.durationMs ?? Math.round(performance.now() - run.startedAt),
    sandbox: run.sandbox,
    ...run.reach,
    cwd: run.cwd,
  };
}

function unknownId(known: readonly string[]): ToolFailure {
  return new ToolFailure('not_found', 'This session has no background command with that id.', {
    reason: 'unknown_background_id',
    details: { known_ids: known },
    suggestion:
      'Use the background_id that Bash returned for run_in_background; finished commands are kept for a while.',
  });
}

function tooMany(what: string): ToolFailure {
  return new ToolFailure('bad_state', `${what} are already running.`, {
    reason: 'too_many_background_commands',
    suggestion: 'Stop one with KillBash, or run this one in the foreground.',
    retryable: true,
  });
}
