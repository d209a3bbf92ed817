import { messageOf } from '../../lib/error-message.js';
import { atMost } from '../../lib/at-most.js';
import { createFault, type Fault, type ProviderState, type ProviderStatus } from '../../core/index.js';
import type { Log } from '../../ports/log.js';
import { passingMs } from '../../ports/start-refusal.js';
import { HeldStart } from './held-start.js';
import type { LivePlugin } from './live-plugin.js';

export interface SupervisorParts {
  readonly name: string;
  readonly pauseMs: number;
  readonly log: Log;
  readonly redact: (text: string) => string;
  /** Starts the plugin. It must call `lost` once if the plugin exits unexpectedly. Throws with the reason. */
  readonly open: (signal: AbortSignal, lost: (why: string) => void) => Promise<LivePlugin>;
  readonly onLive: (plugin: LivePlugin) => void;
}

/** Manages one plugin: starts it on demand, restarts it with backoff, and gives up after repeated crashes. */
export interface Supervisor {
  readonly live: LivePlugin | undefined;
  /** The running plugin. Starts it if necessary. */
  use(signal: AbortSignal | undefined): Promise<LivePlugin | Fault>;
  /** Ends a process that no longer answers. `waitMs` gives it time to exit with a reason. */
  giveUpOn(plugin: LivePlugin, why: string, waitMs?: number): Promise<void>;
  status(): ProviderStatus;
  close(): Promise<void>;
}

/** After this many failures without a good run in between, the plugin is not restarted. */
const mostFalls = 5;
const goodRunMs = 60_000;
const longestPauseMs = 30_000;
/** How long a call waits for a restart before it fails. */
const patienceMs = 5_000;

export function openSupervisor(parts: SupervisorParts): Supervisor {
  const { name, log } = parts;
  const life = new AbortController();
  const closings = new Set<Promise<void>>();
  let live: LivePlugin | undefined;
  let starting: Promise<LivePlugin | Fault> | undefined;
  let leaving: Promise<void> | undefined;
  let state: ProviderState = 'idle';
  let detail: string | undefined;
  let falls = 0;
  let restarts = 0;
  let notBefore = 0;
  let runningSince = 0;

  const isClosing = (): boolean => life.signal.aborted;

  function start(): Promise<LivePlugin | Fault> {
    starting ??= attempt().finally(() => {
      starting = undefined;
    });
    return starting;
  }

  async function attempt(): Promise<LivePlugin | Fault> {
    await pause(notBefore - Date.now(), life.signal);
    await Promise.all(closings);
    if (life.signal.aborted) return closed(name);
    if (falls > 0) restarts += 1;
    state = 'pending';
    const run: { endedWith?: string; plugin?: LivePlugin } = {};
    try {
      const plugin = await parts.open(life.signal, (why) => {
        run.endedWith = why;
        if (run.plugin !== undefined && live === run.plugin) lost(why);
      });
      if (isClosing()) return finish(plugin, closed(name));
      if (run.endedWith !== undefined)
        return finish(plugin, fell(`it exited right after its start: ${run.endedWith}`));
      run.plugin = plugin;
      return welcome(plugin);
    } catch (error) {
      if (error instanceof HeldStart) return held(error.message);
      return fell(messageOf(error));
    }
  }

  function welcome(plugin: LivePlugin): LivePlugin {
    live = plugin;
    state = 'ready';
    detail = undefined;
    runningSince = Date.now();
    log('info', 'plugin ready', { pid: plugin.pid, version: plugin.version });
    parts.onLive(plugin);
    return plugin;
  }

  function finish<T>(plugin: LivePlugin, answer: T): T {
    const closing = plugin
      .close()
      .catch((error: unknown) => log('warn', 'plugin not closed', { error: String(error) }));
    closings.add(closing);
    void closing.then(() => closings.delete(closing));
    return answer;
  }

  function lost(why: string): void {
    const plugin = live;
    live = undefined;
    if (Date.now() - runningSince >= goodRunMs) falls = 0;
    fell(why);
    if (plugin !== undefined) finish(plugin, undefined);
  }

  function fell(reason: string): Fault {
    if (life.signal.aborted) return closed(name);
    falls += 1;
    const why = parts.redact(reason);
    state = 'failed';
    detail = falls < mostFalls ? why : `stopped after ${String(mostFalls)} failures; last failure: ${why}`;
    notBefore = Date.now() + Math.min(parts.pauseMs * 2 ** (falls - 1), longestPauseMs);
    log(
      falls < mostFalls ? 'warn' : 'error',
      falls < mostFalls ? 'plugin failed' : 'plugin stopped after repeated failures',
      {
        reason: why,
      },
    );
    return unavailable(name, detail);
  }

  /** No call can start a plugin whose operations are not known, so it is tried again in any case. */
  function held(reason: string): Fault {
    if (life.signal.aborted) return closed(name);
    const why = parts.redact(reason);
    state = 'failed';
    if (detail !== why) log('warn', 'plugin not started yet', { reason: why });
    detail = why;
    setTimeout(() => live === undefined && !life.signal.aborted && void start(), passingMs).unref();
    return unavailable(name, why);
  }

  return {
    get live() {
      return leaving === undefined ? live : undefined;
    },
    async use(signal) {
      await leaving;
      if (live !== undefined) return live;
      if (life.signal.aborted) return closed(name);
      const isHopeless = falls >= mostFalls || notBefore - Date.now() > patienceMs;
      if (isHopeless && starting === undefined) return unavailable(name, detail ?? 'it failed');
      return untilAborted(start(), signal);
    },
    async giveUpOn(plugin, why, waitMs = 0) {
      if (live !== plugin) return;
      leaving ??= atMost(waitMs, plugin.ended).then(() => {
        leaving = undefined;
        if (live === plugin) lost(why);
      });
      await leaving;
    },
    status: () => ({
      state,
      restarts,
      ...(detail !== undefined && { detail }),
      ...(live && { pid: live.pid, protocolVersion: '1' }),
    }),
    async close() {
      life.abort();
      const plugin = live;
      live = undefined;
      state = 'stopped';
      if (plugin !== undefined) finish(plugin, undefined);
      await starting;
      await Promise.all(closings);
    },
  };
}

function closed(name: string): Fault {
  return createFault('provider.unavailable', `The plugin ${name} is shutting down.`);
}

function unavailable(name: string, why: string): Fault {
  return createFault('provider.unavailable', `The plugin ${name} is not available: ${why}.`, {
    suggestion: `Ask the operator to run \`tidegate plugin show ${name}\`.`,
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}

/** When one caller cancels, the start continues for the others. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | Fault> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const leave = (): void => resolve(createFault('call.cancelled', 'The call was cancelled.'));
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
