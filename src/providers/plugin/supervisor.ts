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
const maxFailures = 5;
const goodRunMs = 60_000;
const longestPauseMs = 30_000;
/** How long a call waits for a restart before it fails. */
const patienceMs = 5_000;

export function openSupervisor(parts: SupervisorParts): Supervisor {
  return new PluginSupervisor(parts);
}

class PluginSupervisor implements Supervisor {
  readonly #parts: SupervisorParts;
  readonly #life = new AbortController();
  readonly #closings = new Set<Promise<void>>();
  #live: LivePlugin | undefined;
  #starting: Promise<LivePlugin | Fault> | undefined;
  #leaving: Promise<void> | undefined;
  #state: ProviderState = 'idle';
  #detail: string | undefined;
  #failures = 0;
  #restarts = 0;
  #notBefore = 0;
  #runningSince = 0;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
  }

  get live(): LivePlugin | undefined {
    return this.#leaving === undefined ? this.#live : undefined;
  }

  async use(signal: AbortSignal | undefined): Promise<LivePlugin | Fault> {
    await this.#leaving;
    if (this.#live !== undefined) return this.#live;
    if (this.#life.signal.aborted) return closed(this.#parts.name);
    const isGivenUp = this.#failures >= maxFailures || this.#notBefore - Date.now() > patienceMs;
    if (isGivenUp && this.#starting === undefined)
      return unavailable(this.#parts.name, this.#detail ?? 'it failed');
    return untilAborted(this.#start(), signal);
  }

  async giveUpOn(plugin: LivePlugin, why: string, waitMs = 0): Promise<void> {
    if (this.#live !== plugin) return;
    this.#leaving ??= atMost(waitMs, plugin.ended).then(() => {
      this.#leaving = undefined;
      if (this.#live === plugin) this.#lost(why);
    });
    await this.#leaving;
  }

  status(): ProviderStatus {
    return {
      state: this.#state,
      restarts: this.#restarts,
      ...(this.#detail !== undefined && { detail: this.#detail }),
      ...(this.#live && { pid: this.#live.pid, protocolVersion: '1' }),
    };
  }

  async close(): Promise<void> {
    this.#life.abort();
    const plugin = this.#live;
    this.#live = undefined;
    this.#state = 'stopped';
    if (plugin !== undefined) this.#finish(plugin, undefined);
    await this.#starting;
    await Promise.all(this.#closings);
  }

  #isClosing(): boolean {
    return this.#life.signal.aborted;
  }

  #start(): Promise<LivePlugin | Fault> {
    this.#starting ??= this.#attempt().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #attempt(): Promise<LivePlugin | Fault> {
    await pause(this.#notBefore - Date.now(), this.#life.signal);
    await Promise.all(this.#closings);
    if (this.#life.signal.aborted) return closed(this.#parts.name);
    if (this.#failures > 0) this.#restarts += 1;
    this.#state = 'pending';
    const run: { endedWith?: string; plugin?: LivePlugin } = {};
    try {
      const plugin = await this.#parts.open(this.#life.signal, (why) => {
        run.endedWith = why;
        if (run.plugin !== undefined && this.#live === run.plugin) this.#lost(why);
      });
      if (this.#isClosing()) return this.#finish(plugin, closed(this.#parts.name));
      if (run.endedWith !== undefined)
        return this.#finish(plugin, this.#failed(`it exited right after its start: ${run.endedWith}`));
      run.plugin = plugin;
      return this.#started(plugin);
    } catch (error) {
      if (error instanceof HeldStart) return this.#held(error.message);
      return this.#failed(messageOf(error));
    }
  }

  #started(plugin: LivePlugin): LivePlugin {
    this.#live = plugin;
    this.#state = 'ready';
    this.#detail = undefined;
    this.#runningSince = Date.now();
    this.#parts.log('info', 'plugin ready', { pid: plugin.pid, version: plugin.version });
    this.#parts.onLive(plugin);
    return plugin;
  }

  #finish<T>(plugin: LivePlugin, answer: T): T {
    const closing = plugin
      .close()
      .catch((error: unknown) => this.#parts.log('warn', 'plugin not closed', { error: String(error) }));
    this.#closings.add(closing);
    void closing.then(() => this.#closings.delete(closing));
    return answer;
  }

  #lost(why: string): void {
    const plugin = this.#live;
    this.#live = undefined;
    if (Date.now() - this.#runningSince >= goodRunMs) this.#failures = 0;
    this.#failed(why);
    if (plugin !== undefined) this.#finish(plugin, undefined);
  }

  #failed(reason: string): Fault {
    if (this.#life.signal.aborted) return closed(this.#parts.name);
    this.#failures += 1;
    const why = this.#parts.redact(reason);
    this.#state = 'failed';
    this.#detail =
      this.#failures < maxFailures
        ? why
        : `stopped after ${String(maxFailures)} failures; last failure: ${why}`;
    this.#notBefore = Date.now() + Math.min(this.#parts.pauseMs * 2 ** (this.#failures - 1), longestPauseMs);
    this.#parts.log(
      this.#failures < maxFailures ? 'warn' : 'error',
      this.#failures < maxFailures ? 'plugin failed' : 'plugin stopped after repeated failures',
      {
        reason: why,
      },
    );
    return unavailable(this.#parts.name, this.#detail);
  }

  /** No call can start a plugin whose operations are unknown, so the start is always retried. */
  #held(reason: string): Fault {
    if (this.#life.signal.aborted) return closed(this.#parts.name);
    const why = this.#parts.redact(reason);
    this.#state = 'failed';
    if (this.#detail !== why) this.#parts.log('warn', 'plugin not started yet', { reason: why });
    this.#detail = why;
    setTimeout(
      () => this.#live === undefined && !this.#life.signal.aborted && void this.#start(),
      passingMs,
    ).unref();
    return unavailable(this.#parts.name, why);
  }
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
