import {
  createFault,
  type Fault,
  type Log,
  type ProviderState,
  type ProviderStatus,
  type Redactor,
} from '../../kernel/index.js';
import { cancelledFault } from './link-faults.js';
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
  /** Opens the server; `lost` must be called once when it goes away by itself. Throws with the reason. */
  readonly connect: (signal: AbortSignal, lost: (detail: string) => void) => Promise<Peer>;
  readonly onLive: (peer: Peer) => void;
  /** Whether the server must be there even while no call wants it. */
  readonly isNeeded: () => boolean;
  /** Whether it is still unknown what the server offers: nobody can call what is not known, so no call would start it again. */
  readonly isUnlisted: () => boolean;
}

/** Keeps one server: started on need, restarted with growing pauses, closed when idle. */
export interface Supervisor {
  /** The server, when it is there now. */
  readonly live: Peer | undefined;
  /** The server, started if need be. */
  use(signal: AbortSignal | undefined, waitMs: number): Promise<Peer | Fault>;
  status(): ProviderStatus;
  /** What kept the server from starting is gone. */
  wake(): void;
  close(): Promise<void>;
}

/** A call waits so long for a pause to end before it is told to come back later. */
const patienceMs = 5000;

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
  let stopIdle: (() => void) | undefined;

  function mustReturn(): boolean {
    return state === 'failed' && (parts.isNeeded() || parts.isUnlisted());
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
    if (life.signal.aborted) return unavailable(server, 'it is being closed');
    if (state === 'failed') restarts += 1;
    state = 'pending';
    const limit = new AbortController();
    const stopLimit = clock.after(parts.startMs, () => limit.abort());
    const mine: Run = { isOver: false };
    try {
      const peer = await parts.connect(AbortSignal.any([life.signal, limit.signal]), (why) => {
        mine.isOver = true;
        if (run === mine) lost(why);
      });
      return mine.isOver ? failed('it ended right after its start') : succeeded(peer, mine);
    } catch (error) {
      if (limit.signal.aborted)
        return failed(
          `it took longer than ${parts.startMs / 1000} s to start (servers get a short environment: proxy variables must stand under its env)`,
        );
      return failed(error instanceof Error ? error.message : String(error));
    } finally {
      stopLimit();
    }
  }

  function succeeded(peer: Peer, mine: Run): Peer | Fault {
    if (life.signal.aborted) {
      closing = peer.close();
      return unavailable(server, 'it is being closed');
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

  function lost(why: string): void {
    live = undefined;
    run = undefined;
    stopIdle?.();
    pauses.ended();
    failed(why);
    if (mustReturn()) void start();
  }

  /** One timer looks now and then, so that calls need not move it. */
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
    live = undefined;
    run = undefined;
    state = 'idle';
    log('info', 'server closed because nothing used it');
    closing = peer.close();
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

/** Waits for a start no longer than its caller would. */
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
    `The server ${server} is still starting: call again in a few seconds.`,
  );
}

function unavailable(server: string, detail: string, pauseMs = 0): Fault {
  const when = pauseMs > 0 ? ` It is started again in ${String(Math.ceil(pauseMs / 1000))} s.` : '';
  return createFault('provider.unavailable', `The server ${server} is not available.${when}`, { detail });
}
