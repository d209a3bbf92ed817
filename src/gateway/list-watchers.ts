import type { Session, Spec } from '../core/index.js';
import { keptIfEqual, type ListKind, listKinds } from './lists.js';

type Listener = (changed: readonly ListKind[]) => void;

/** Tells sessions which of their lists changed. However often a session listens, its lists are compared once. */
export interface ListWatchers {
  add(session: Session, listener: Listener): () => void;
  lookAll(): void;
  look(sessionId: string): void;
  clear(): void;
}

interface Watcher {
  readonly listeners: Set<Listener>;
  /** Compares the lists with the previous ones. */
  readonly look: () => void;
}

export function createListWatchers(
  shown: (session: Session, kind: ListKind) => readonly Spec[],
): ListWatchers {
  const watchers = new Map<string, Watcher>();

  function createWatcher(session: Session): Watcher {
    const listeners = new Set<Listener>();
    let known = listKinds.map((kind) => shown(session, kind));
    const look = (): void => {
      const now = listKinds.map((kind, at) => keptIfEqual(known[at], shown(session, kind)));
      const changed = listKinds.filter((_, at) => now[at] !== known[at]);
      known = now;
      if (changed.length > 0) for (const listener of [...listeners]) listener(changed);
    };
    return { listeners, look };
  }

  return {
    add(session, listener) {
      const { id } = session;
      let watcher = watchers.get(id);
      if (watcher === undefined) watchers.set(id, (watcher = createWatcher(session)));
      const { listeners } = watcher;
      // Its own function, so that ending one never ends another.
      const mine: Listener = (changed) => listener(changed);
      listeners.add(mine);
      return () => {
        listeners.delete(mine);
        if (listeners.size === 0 && watchers.get(id)?.listeners === listeners) watchers.delete(id);
      };
    },
    lookAll() {
      for (const { look } of [...watchers.values()]) look();
    },
    look: (sessionId) => watchers.get(sessionId)?.look(),
    clear: () => watchers.clear(),
  };
}
