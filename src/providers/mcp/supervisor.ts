import { messageOf } from '../../lib/error-message.js';
import { createFault, type Fault, type ProviderState, type ProviderStatus } from '../../core/index.js';
import type { Log, Redactor } from '../../ports/log.js';
import { passingMs } from '../../ports/start-refusal.js';
import { HeldStart, UntrustedStart } from './line.js';
import { cancelledFault } from './transport-faults.js';
import type { Clock } from './options.js';
import { createPauses } from './pauses.js';
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
  const { server, clock, log } = parts;
  const life = new AbortController();
  const pauses = createPauses(clock);
  let live: Peer | undefined;
  let run: Run | undefined;
  let starting: Promise<Peer | Fault> | undefined;
  let closing: Promise<void> | undefined;
  let state: ProviderState = 'idle';
  let detail: string | undefined;
  let restarts = 0;
  /** Its start was refused for a passing reason. */
  let isHeld = false;
  let stopIdle: (() => void) | undefined;

  function mustReturn(): boolean {
    return state === 'failed' && !isHeld && (parts.isNeeded() || parts.isUnlisted());
  }

  function start(): Promise<Peer | Fault> {
    starting ??= attempt().finally(() => {
      starting = undefined;
      if (mustReturn()) void start();
    });
    return starting;
  }

  async function attempt(): Promise<Peer | Fault> {
    await closing;
    await pauses.wait(life.signal);
    if (life.signal.aborted) return unavailable(server, 'it is shutting down');
    if (state === 'failed' && !isHeld) restarts += 1;
    isHeld = false;
    state = 'pending';
    const limit = new AbortController();
    const stopLimit = clock.after(parts.startMs, () => limit.abort());
    const mine: Run = { isOver: false };
    try {
      const peer = await parts.connect(AbortSignal.any([life.signal, limit.signal]), (why) => {
        mine.isOver = true;
        if (run === mine) lost(why);
      });
      return mine.isOver ? failed('it exited right after its start') : succeeded(peer, mine);
    } catch (error) {
      if (limit.signal.aborted)
        return failed(
          `it took longer than ${parts.startMs / 1000} s to start. Servers get a minimal environment, so set proxy variables under its env`,
        );
      if (error instanceof UntrustedStart) return refused(error.message);
      if (error instanceof HeldStart) return held(error.message);
      return failed(messageOf(error));
    } finally {
      stopLimit();
    }
  }

  function succeeded(peer: Peer, mine: Run): Peer | Fault {
    if (life.signal.aborted) {
      closing = peer.close();
      return unavailable(server, 'it is shutting down');
    }
    live = peer;
    run = mine;
    state = 'ready';
    detail = undefined;
    pauses.succeeded();
    watchIdle(parts.idleMs);
    log('info', 'server ready', { pid: peer.pid, protocol: peer.protocolVersion });
    parts.onLive(peer);
    return peer;
  }

  function failed(reason: string): Fault {
    const why = parts.redact(reason);
    state = life.signal.aborted ? 'stopped' : 'failed';
    detail = why;
    pauses.failed();
    if (state === 'failed') log('warn', 'server failed', { reason: why });
    return unavailable(server, why);
  }

  function refused(why: string): Fault {
    state = life.signal.aborted ? 'stopped' : 'untrusted';
    if (detail !== why) log('error', 'server not started', { reason: why });
    detail = why;
    return createFault('provider.untrusted', `The server ${server} was not started: ${why}.`);
  }

  /** No call can start a server whose tools are not known, so it is tried again in any case. */
  function held(why: string): Fault {
    state = life.signal.aborted ? 'stopped' : 'failed';
    if (detail !== why) log('warn', 'server not started yet', { reason: why });
    detail = why;
    isHeld = true;
    clock.after(passingMs, () => isHeld && live === undefined && !life.signal.aborted && void start(), true);
    return createFault('provider.unavailable', `The server ${server} is not started yet: ${why}.`);
  }

  function lost(why: string): void {
    live = undefined;
    run = undefined;
    stopIdle?.();
    pauses.ended();
    failed(why);
    if (mustReturn()) void start();
  }

  /** One timer checks periodically, so that calls need not reset it. */
  function watchIdle(ms: number): void {
    if (parts.idleMs <= 0) return;
    stopIdle = clock.after(
      ms,
      () => {
        if (live === undefined) return;
        const left = live.lastUse() + parts.idleMs - clock.now();
        if (left > 0 || live.isBusy() || parts.isNeeded()) watchIdle(left > 0 ? left : parts.idleMs);
        else rest(live);
      },
      true,
    );
  }

  function rest(peer: Peer): void {
    leave('server closed because it was idle');
    closing = peer.close();
  }

  function leave(why: string): void {
    live = undefined;
    run = undefined;
    state = 'idle';
    stopIdle?.();
    log('info', why);
  }

  /** Gives calls in flight a moment to finish. */
  async function closeSoon(peer: Peer): Promise<void> {
    const until = clock.now() + lastMomentMs;
    while (peer.isBusy() && clock.now() < until && !life.signal.aborted)
      await new Promise<void>((resolve) => clock.after(lookMs, resolve));
    await peer.close();
  }

  return {
    get live() {
      return live;
    },
    async use(signal, waitMs) {
      if (live !== undefined) return live;
      const pause = pauses.left();
      const opening = start();
      if (pause > patienceMs) return unavailable(server, detail ?? 'it failed', pause);
      return inTime(opening, { signal, waitMs, clock, server });
    },
    replace(why) {
      const peer = live;
      if (peer === undefined) return;
      leave(`server is restarting: ${why}`);
      restarts += 1;
      closing = closeSoon(peer);
      if (parts.isNeeded()) void start();
    },
    wake() {
      if (live !== undefined || life.signal.aborted) return;
      pauses.forget();
      if (state === 'failed') state = 'idle';
      void start();
    },
    status: () => ({
      state,
      restarts,
      ...(detail !== undefined && { detail }),
      ...(live?.pid !== undefined && { pid: live.pid }),
      ...(live && { protocolVersion: live.protocolVersion }),
    }),
    async close() {
      state = 'stopped';
      stopIdle?.();
      life.abort();
      const peer = live;
      live = undefined;
      run = undefined;
      await Promise.all([peer?.close(), starting, closing]);
      state = 'stopped';
    },
  };
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
    const stopTimer = clock.after(waitMs, () => resolve(stillStarting(server)));
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

function stillStarting(server: string): Fault {
  return createFault(
    'provider.starting',
    `The server ${server} is still starting. Call again in a few seconds.`,
  );
}

function unavailable(server: string, detail: string, pauseMs = 0): Fault {
  const when = pauseMs > 0 ? ` It restarts in ${String(Math.ceil(pauseMs / 1000))} s.` : '';
  return createFault('provider.unavailable', `The server ${server} is not available.${when}`, { detail });
}
