import { detached, JsonText } from '../../lib/json-text.js';
import { maxWords } from './cut-text.js';
import type { Clock } from './options.js';
import { createPace } from './pace.js';

type Listener = (params: JsonText) => void;

/** Subscriptions to resource updates. */
export interface Watches {
  readonly uris: readonly string[];
  add(uri: string, listener: Listener): () => void;
  /** Updates that come too fast are merged: the latest one per URI is passed on with a delay. */
  updated(uri: string, params: JsonText): void;
}

interface Watched {
  readonly listeners: Set<Listener>;
  updated(uri: string, params: JsonText): void;
  stop(): void;
}

const burst = 50;
const perSecond = 20;
/** With more URIs below a watched one, a single update of the watched one is sent for all of them. */
const maxJoined = 100;

export function createWatches(clock: Clock, onChanged: () => void): Watches {
  const byUri = new Map<string, Watched>();
  return {
    get uris() {
      return [...byUri.keys()];
    },
    add(uri, listener) {
      // A separate listener for each watch, so that ending one never ends another.
      const mine: Listener = (params) => listener(params);
      const watched = byUri.get(uri) ?? createWatched(uri, clock);
      byUri.set(uri, watched);
      watched.listeners.add(mine);
      return () => {
        if (!watched.listeners.delete(mine) || watched.listeners.size > 0) return;
        watched.stop();
        if (byUri.get(uri) === watched) byUri.delete(uri);
        onChanged();
      };
    },
    updated(uri, params) {
      const isLong = uri.length > maxWords;
      const short = shortUpdate(uri, params);
      for (const [address, watched] of byUri) {
        if (!isWithin(uri, address)) continue;
        if (isLong) watched.updated(address, JsonText.from({ uri: address }));
        else watched.updated(uri, short);
      }
    },
  };
}

/** Updates wait for slow clients, so what is too long for that is left out. */
function shortUpdate(uri: string, params: JsonText): JsonText {
  return params.text.length > maxWords ? JsonText.from({ uri }) : new JsonText(detached(params.text));
}

function createWatched(address: string, clock: Clock): Watched {
  const listeners = new Set<Listener>();
  const pace = createPace(clock, burst, perSecond);
  const joined = new Map<string, JsonText>();
  let stopTimer: (() => void) | undefined;

  function tell(params: JsonText): void {
    for (const listener of listeners) listener(params);
  }

  function arm(): void {
    stopTimer ??= clock.after(pace.waitMs(), drain, true);
  }

  function drain(): void {
    stopTimer = undefined;
    for (const [uri, params] of joined) {
      if (!pace.pass()) return arm();
      joined.delete(uri);
      tell(params);
    }
  }

  return {
    listeners,
    updated(uri, params) {
      if (joined.size === 0 && pace.pass()) return tell(params);
      if (joined.size >= maxJoined && !joined.has(uri)) {
        joined.clear();
        joined.set(address, JsonText.from({ uri: address }));
      } else joined.set(uri, params);
      arm();
    },
    stop() {
      stopTimer?.();
      joined.clear();
    },
  };
}

/** A server may report a part of the watched resource, but not a sibling whose name only starts the same. */
function isWithin(uri: string, watched: string): boolean {
  if (uri === watched) return true;
  if (!uri.startsWith(watched)) return false;
  return watched.endsWith('/') || '/?#'.includes(uri.charAt(watched.length));
}
