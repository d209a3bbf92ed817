import type { JsonText } from '../../kernel/index.js';

type Listener = (params: JsonText) => void;

/** Who wants to hear of which resource. */
export interface Watches {
  readonly uris: readonly string[];
  add(uri: string, listener: Listener): () => void;
  updated(uri: string, params: JsonText): void;
}

export function createWatches(onChanged: () => void): Watches {
  const byUri = new Map<string, Set<Listener>>();
  return {
    get uris() {
      return [...byUri.keys()];
    },
    add(uri, listener) {
      // A listener of its own for each watch, so that ending one never ends another.
      const mine: Listener = (params) => listener(params);
      const listeners = byUri.get(uri) ?? new Set();
      byUri.set(uri, listeners.add(mine));
      return () => {
        if (!listeners.delete(mine) || listeners.size > 0) return;
        if (byUri.get(uri) === listeners) byUri.delete(uri);
        onChanged();
      };
    },
    updated(uri, params) {
      for (const [watched, listeners] of byUri) {
        if (!isWithin(uri, watched)) continue;
        for (const listener of listeners) listener(params);
      }
    },
  };
}

/** A server may name a part of what was subscribed to, never a neighbour with a longer name. */
function isWithin(uri: string, watched: string): boolean {
  if (uri === watched) return true;
  if (!uri.startsWith(watched)) return false;
  return watched.endsWith('/') || '/?#'.includes(uri.charAt(watched.length));
}
