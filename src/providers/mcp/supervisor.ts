import { messageOf } from '../../lib/error-message.js';
import { createFault, type Fault, type ProviderState, type ProviderStatus } from '../../core/index.js';
import type { Log, Redactor } from '../../ports/log.js';
import { passingMs } from '../../ports/start-refusal.js';
import { HeldStart, UntrustedStart } from './line.js';
import { cancelledFault, startingFault, unavailableFault } from './transport-faults.js';
import type { Clock } from './options.js';
import { createPauses, type Pauses } from './pauses.js';
import type { Peer } from './peer.js';

export interface SupervisorParts {
  readonly server: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly redact: Redactor;
  readonly startMs: number;
  readonly idleMs: number;
  /** Opens the server. It must call `lost` once if the server exits unexpectedly. Throws with the reason. */
  readonly connect: (signal: AbortSignal, lost: (detail: string) => void) => Promise<Peer>;
  readonly onLive: (peer: Peer) => void;
  /** Whether the server must run even without a call. */
  readonly isNeeded: () => boolean;
  /** Whether the catalog is still unknown. Then no call could start the server again, so the supervisor has to. */
  readonly isUnlisted: () => boolean;
}

/** Manages one server: starts it on demand, restarts it with backoff, closes it when idle. */
export interface Supervisor {
  /** The server, if it is running. */
  readonly live: Peer | undefined;
  /** Returns the server. Starts it if necessary. */
  use(signal: AbortSignal | undefined, waitMs: number): Promise<Peer | Fault>;
  status(): ProviderStatus;
  /** Ends the current process soon, and starts another for the next call. */
  replace(why: string): void;
  /** The obstacle to starting the server is gone. */
  wake(): void;
  close(): Promise<void>;
}

/** How long a call waits for a restart before it fails. */
const patienceMs = 5000;

/** How long calls may continue on a server that is being replaced, and how often to check for their end. */
const lastMomentMs = 1000;
const lookMs = 50;

interface Run {
  isOver: boolean;
}

export function openSupervisor(parts: SupervisorParts): Supervisor {
  return new ServerSupervisor(parts);
}

class ServerSupervisor implements Supervisor {
  readonly #parts: SupervisorParts;
  readonly #life = new AbortController();
  readonly #pauses: Pauses;
  #live: Peer | undefined;
  #run: Run | undefined;
  #starting: Promise<Peer | Fault> | undefined;
  #closing: Promise<void> | undefined;
  #state: ProviderState = 'idle';
  #detail: string | undefined;
  #restarts = 0;
  /** Its start was refused for a temporary reason. */
  #isHeld = false;
  #stopIdle: (() => void) | undefined;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
    this.#pauses = createPauses(parts.clock);
  }

  get live(): Peer | undefined {
    return this.#live;
  }

  async use(signal: AbortSignal | undefined, waitMs: number): Promise<Peer | Fault> {
    if (this.#live !== undefined) return this.#live;
    const pause = this.#pauses.left();
    const opening = this.#start();
    if (pause > patienceMs) return unavailableFault(this.#parts.server, this.#detail ?? 'it failed', pause);
    return inTime(opening, { signal, waitMs, clock: this.#parts.clock, server: this.#parts.server });
  }

  replace(why: string): void {
    const peer = this.#live;
    if (peer === undefined) return;
    this.#leave(`server is restarting: ${why}`);
    this.#restarts += 1;
    this.#closing = this.#closeSoon(peer);
    if (this.#parts.isNeeded()) void this.#start();
  }

  wake(): void {
    if (this.#live !== undefined || this.#life.signal.aborted) return;
    this.#pauses.forget();
    if (this.#state === 'failed') this.#state = 'idle';
    void this.#start();
  }

  status(): ProviderStatus {
    return {
      state: this.#state,
      restarts: this.#restarts,
      ...(this.#detail !== undefined && { detail: this.#detail }),
      ...(this.#live?.pid !== undefined && { pid: this.#live.pid }),
      ...(this.#live && { protocolVersion: this.#live.protocolVersion }),
    };
  }

  async close(): Promise<void> {
    this.#state = 'stopped';
    this.#stopIdle?.();
    this.#life.abort();
    const peer = this.#live;
    this.#live = undefined;
    this.#run = undefined;
    await Promise.all([peer?.close(), this.#starting, this.#closing]);
    this.#state = 'stopped';
  }

  #mustReturn(): boolean {
    return this.#state === 'failed' && !this.#isHeld && (this.#parts.isNeeded() || this.#parts.isUnlisted());
  }

  #start(): Promise<Peer | Fault> {
    this.#starting ??= this.#attempt().finally(() => {
      this.#starting = undefined;
      if (this.#mustReturn()) void this.#start();
    });
    return this.#starting;
  }

  async #attempt(): Promise<Peer | Fault> {
    await this.#closing;
    await this.#pauses.wait(this.#life.signal);
    if (this.#life.signal.aborted) return unavailableFault(this.#parts.server, 'it is shutting down');
    if (this.#state === 'failed' && !this.#isHeld) this.#restarts += 1;
    this.#isHeld = false;
    this.#state = 'pending';
    const limit = new AbortController();
    const stopLimit = this.#parts.clock.after(this.#parts.startMs, () => limit.abort());
    const mine: Run = { isOver: false };
    try {
      const peer = await this.#parts.connect(AbortSignal.any([this.#life.signal, limit.signal]), (why) => {
        mine.isOver = true;
        if (this.#run === mine) this.#lost(why);
      });
      return mine.isOver ? this.#failed('it exited right after its start') : this.#succeeded(peer, mine);
    } catch (error) {
      if (limit.signal.aborted)
        return this.#failed(
          `it took longer than ${this.#parts.startMs / 1000} s to start. Servers get a minimal environment, so set proxy variables under its env`,
        );
      if (error instanceof UntrustedStart) return this.#refused(error.message);
      if (error instanceof HeldStart) return this.#held(error.message);
      return this.#failed(messageOf(error));
    } finally {
      stopLimit();
    }
  }

  #succeeded(peer: Peer, mine: Run): Peer | Fault {
    if (this.#life.signal.aborted) {
      this.#closing = peer.close();
      return unavailableFault(this.#parts.server, 'it is shutting down');
    }
    this.#live = peer;
    this.#run = mine;
    this.#state = 'ready';
    this.#detail = undefined;
    this.#pauses.succeeded();
    this.#watchIdle(this.#parts.idleMs);
    this.#parts.log('info', 'server ready', { pid: peer.pid, protocol: peer.protocolVersion });
    this.#parts.onLive(peer);
    return peer;
  }

  #failed(reason: string): Fault {
    const why = this.#parts.redact(reason);
    this.#state = this.#life.signal.aborted ? 'stopped' : 'failed';
    this.#detail = why;
    this.#pauses.failed();
    if (this.#state === 'failed') this.#parts.log('warn', 'server failed', { reason: why });
    return unavailableFault(this.#parts.server, why);
  }

  #refused(why: string): Fault {
    this.#state = this.#life.signal.aborted ? 'stopped' : 'untrusted';
    if (this.#detail !== why) this.#parts.log('error', 'server not started', { reason: why });
    this.#detail = why;
    return createFault('provider.untrusted', `The server ${this.#parts.server} was not started: ${why}.`);
  }

  /** No call can start a server whose tools are unknown, so the start is always retried. */
  #held(why: string): Fault {
    this.#state = this.#life.signal.aborted ? 'stopped' : 'failed';
    if (this.#detail !== why) this.#parts.log('warn', 'server not started yet', { reason: why });
    this.#detail = why;
    this.#isHeld = true;
    this.#parts.clock.after(
      passingMs,
      () => this.#isHeld && this.#live === undefined && !this.#life.signal.aborted && void this.#start(),
      true,
    );
    return createFault(
      'provider.unavailable',
      `The server ${this.#parts.server} has not been started yet: ${why}.`,
    );
  }

  #lost(why: string): void {
    this.#live = undefined;
    this.#run = undefined;
    this.#stopIdle?.();
    this.#pauses.ended();
    this.#failed(why);
    if (this.#mustReturn()) void this.#start();
  }

  /** One timer checks periodically, so that calls need not reset it. */
  #watchIdle(ms: number): void {
    if (this.#parts.idleMs <= 0) return;
    this.#stopIdle = this.#parts.clock.after(
      ms,
      () => {
        if (this.#live === undefined) return;
        const left = this.#live.lastUse() + this.#parts.idleMs - this.#parts.clock.now();
        if (left > 0 || this.#live.isBusy() || this.#parts.isNeeded())
          this.#watchIdle(left > 0 ? left : this.#parts.idleMs);
        else this.#rest(this.#live);
      },
      true,
    );
  }

  #rest(peer: Peer): void {
    this.#leave('server closed because it was idle');
    this.#closing = peer.close();
  }

  #leave(why: string): void {
    this.#live = undefined;
    this.#run = undefined;
    this.#state = 'idle';
    this.#stopIdle?.();
    this.#parts.log('info', why);
  }

  /** Gives calls in flight a moment to finish. */
  async #closeSoon(peer: Peer): Promise<void> {
    const until = this.#parts.clock.now() + lastMomentMs;
    while (peer.isBusy() && this.#parts.clock.now() < until && !this.#life.signal.aborted)
      await new Promise<void>((resolve) => this.#parts.clock.after(lookMs, resolve));
    await peer.close();
  }
}

interface Waiting {
  readonly signal: AbortSignal | undefined;
  readonly waitMs: number;
  readonly clock: Clock;
  readonly server: string;
}

/** Waits for a start, but not longer than the caller does. */
async function inTime(
  opening: Promise<Peer | Fault>,
  { signal, waitMs, clock, server }: Waiting,
): Promise<Peer | Fault> {
  if (signal?.aborted) return cancelledFault(server);
  let stop = (): void => undefined;
  const giveUp = new Promise<Fault>((resolve) => {
    const stopTimer = clock.after(waitMs, () => resolve(startingFault(server)));
    const onAbort = (): void => resolve(cancelledFault(server));
    signal?.addEventListener('abort', onAbort, { once: true });
    stop = () => {
      stopTimer();
      signal?.removeEventListener('abort', onAbort);
    };
  });
  try {
    return await Promise.race([opening, giveUp]);
  } finally {
    stop();
  }
}
