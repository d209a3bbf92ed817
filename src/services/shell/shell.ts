import { existsSync } from 'node:fs';
import { type Exchange, type Session, shareOwner } from '../../core/index.js';
import type { PortService, Readiness } from '../../ports/tool-ports.js';
import { createShares } from '../../lib/shares.js';
import type { Shell, ShellCommand, ShellTampering, StreamedCommand } from '../../ports/shell.js';
import { openBackground } from './background.js';
import { type CommandRun, startCommand } from './command-run.js';
import { createEndedSessions } from './ended-sessions.js';
import { attend, attendStream, isNotSetUp } from './foreground.js';
import { resolveDirectory } from './inside.js';
import { type LimitWatch, openLimitWatch } from './limit-watch.js';
import { createPreparer, type PrepareCommand, type ShellParts } from './prepare-command.js';
import {
  closing,
  maxRunning,
  notStarted,
  realOf,
  refuseMovedRoots,
  refuseOdd,
  reservedRunning,
  sessionOver,
  tooMany,
} from './refusals.js';
import { openScratch, type Scratch } from './scratch.js';
import { createSpoolFolders, type SpoolFolders } from './spool-folder.js';

const usualTimeoutMs = 120_000;
const closeMs = 3000;

/** Runs commands in the workspace, in a sandbox if one works, and ends them with all their processes. */
export function openShell(parts: ShellParts): PortService<Shell> {
  return new ShellService(parts);
}

class ShellService implements PortService<Shell> {
  readonly #roots: readonly string[];
  readonly #log: (line: string) => void;
  readonly #interpreter = findInterpreter();
  readonly #scratch: Scratch;
  readonly #spoolFolders: ReadonlyMap<string, SpoolFolders>;
  readonly #background = openBackground();
  readonly #limitWatch: LimitWatch;
  /** Each with its session. */
  readonly #running = new Map<CommandRun, string>();
  /** Sessions of commands that are about to start. */
  readonly #preparing: string[] = [];
  readonly #over = createEndedSessions();
  readonly #shares = createShares(maxRunning, reservedRunning);
  readonly #prepare: PrepareCommand;
  #last: Promise<unknown> = Promise.resolve();
  #hasClosed = false;

  constructor(parts: ShellParts) {
    const { log = () => {} } = parts;
    const roots = parts.roots.map(realOf);
    this.#log = log;
    this.#roots = roots;
    this.#scratch = openScratch(parts.stateDir);
    this.#spoolFolders = new Map(roots.map((root) => [root, createSpoolFolders(root, log)]));
    this.#limitWatch = openLimitWatch(log);
    this.#prepare = createPreparer({
      ...parts,
      roots,
      log,
      interpreter: this.#interpreter,
      scratch: this.#scratch,
      spoolFolders: this.#spoolFolders,
      limitWatch: this.#limitWatch,
      running: this.#running,
      preparing: this.#preparing,
    });
  }

  readiness(): Readiness {
    return readinessOf(this.#interpreter);
  }

  serve(session: Session): Shell {
    const { id: sessionId } = session;
    return {
      roots: this.#roots,
      run: async (order: ShellCommand, exchange: Exchange) => {
        const timeoutMs = order.timeoutMs ?? usualTimeoutMs;
        return twice(async () => attend(await this.#begin(session, order, false), timeoutMs, exchange));
      },
      stream: (order) =>
        twice(async () => attendStream(await this.#begin(session, order, false), order.signal)),
      start: (order) => this.#startInBackground(session, order),
      poll: (id, filter) => this.#background.poll(sessionId, id, filter),
      stop: (id) => this.#background.stop(sessionId, id),
    };
  }

  async forget({ id }: Session): Promise<void> {
    this.#over.add(id);
    const own = [...this.#running].filter(([, sessionId]) => sessionId === id).map(([run]) => run);
    for (const run of own) run.end();
    await Promise.all([this.#background.forget(id), ...own.map((run) => run.ended)]);
    await this.#scratch.forget(id);
  }

  async close(): Promise<void> {
    this.#hasClosed = true;
    for (const run of this.#running.keys()) run.end();
    // A command that is about to start ends right after its start.
    const ended = this.#last.then(() =>
      Promise.all([this.#background.close(), ...[...this.#running.keys()].map((run) => run.ended)]),
    );
    await atMost(closeMs, ended);
    await this.#limitWatch.close();
    await this.#scratch.close();
    await Promise.all([...this.#spoolFolders.values()].map((folder) => folder.sweep()));
  }

  async #startInBackground(session: Session, order: ShellCommand): ReturnType<Shell['start']> {
    const giveBack = this.#background.reserve(session.id, shareOwner(session));
    try {
      const run = await twice(() => this.#begin(session, order, true));
      void run.ended.then(giveBack);
      const id = this.#background.add(session.id, order.command, run);
      return { id, sandbox: run.sandbox, ...run.reach, cwd: run.cwd };
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  async #begin(session: Session, order: BegunCommand, isBackground: boolean): Promise<CommandRun> {
    const { id: sessionId } = session;
    refuseOdd(order.command);
    this.#refuseEnded(sessionId);
    const giveBack = this.#shares.take(shareOwner(session));
    if (typeof giveBack === 'string') throw tooMany(giveBack);
    try {
      refuseMovedRoots(this.#roots);
      const cwd = await resolveDirectory(order.cwd, this.#roots);
      this.#preparing.push(sessionId);
      const prepared = await this.#prepare(session, cwd);
      // One at a time, so that each start knows what earlier commands hold.
      const run = await this.#inTurn(async () => {
        this.#refuseEnded(sessionId);
        const started = await startCommand(prepared, { ...order, cwd, isBackground }).catch(notStarted);
        this.#running.set(started, sessionId);
        // The session or the gateway ended during the start, and no other code would end this command.
        if (this.#isOver(sessionId)) started.end();
        return started;
      });
      void run.ended.then((end) => {
        this.#running.delete(run);
        giveBack();
        for (const line of warningsOf(end)) this.#log(line);
      });
      return run;
    } catch (error) {
      giveBack();
      throw error;
    } finally {
      const at = this.#preparing.indexOf(sessionId);
      if (at !== -1) this.#preparing.splice(at, 1);
    }
  }

  #refuseEnded(sessionId: string): void {
    if (this.#hasClosed) throw closing();
    if (this.#over.has(sessionId)) throw sessionOver();
  }

  #isOver(sessionId: string): boolean {
    return this.#hasClosed || this.#over.has(sessionId);
  }

  #inTurn<T>(start: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(start, start);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

type BegunCommand = ShellCommand & Pick<Partial<StreamedCommand>, 'env' | 'interpreter' | 'onOutput'>;

/** Retries once: another gateway may have removed its placeholders just before they were mounted. */
async function twice<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (isNotSetUp(error)) return attempt();
    throw error;
  }
}

/** The log does not depend on the agent, which is only asked to tell the operator. */
function warningsOf({ createdPaths, changedPaths, undonePaths }: ShellTampering): readonly string[] {
  const warn = (what: string, paths: readonly string[]) =>
    paths.length === 0 ? [] : [`While a Bash command ran, ${what}: ${paths.join(', ')}`];
  return [
    ...warn('files that can make git run commands were moved aside as NAME.undone-1', undonePaths),
    ...warn('these protected files were created', createdPaths),
    ...warn('these protected files were changed or removed', changedPaths),
  ];
}

function readinessOf(interpreter: string): Readiness {
  if (interpreter !== '') return { state: 'ready' };
  const reason = 'This system has neither /bin/bash nor /bin/sh.';
  return {
    state: 'unavailable',
    reason,
    suggestion: 'Run Tidegate in WSL or on Linux or macOS to use Bash.',
  };
}

function findInterpreter(): string {
  if (process.platform === 'win32') return '';
  return ['/bin/bash', '/bin/sh'].find((path) => existsSync(path)) ?? '';
}

function atMost(ms: number, work: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
