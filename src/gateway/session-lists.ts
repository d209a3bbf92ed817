import type { Access } from '../access/index.js';
import type { Exposure } from '../exposure/index.js';
import type { Client, Session, Spec } from '../core/index.js';
import { createGathering } from './gathering.js';
import { createFirsts, keptIfEqual, type ListKind, listKinds, type ListOf } from './lists.js';
import type { LiveCatalog } from './live-catalog.js';

/** The lists of each session: what it can see, and what its client is shown of it. */
export interface SessionLists {
  visible<K extends ListKind>(session: Session, kind: K): ListOf<K>;
  /** The list for this client; without a client, everything the session can see. */
  shown<K extends ListKind>(session: Session, kind: K, client?: Client): ListOf<K>;
  /** Called with the lists of this session that changed. */
  onChange(session: Session, listener: (changed: readonly ListKind[]) => void): () => void;
  /** Compares the lists of all watched sessions with what they were. */
  lookAll(): void;
  close(): void;
}

export function openSessionLists(live: () => LiveCatalog, access: Access, exposure: Exposure): SessionLists {
  const firsts = createFirsts();
  const watchers = new Map<() => void, string>();
  const lookAll = (): void => {
    for (const look of watchers.keys()) look();
  };
  const stopRights = access.onChange(createGathering(lookAll));
  const stopExposure = exposure.onChange((id) => {
    for (const [look, session] of watchers) if (session === id) look();
  });

  function visible<K extends ListKind>(session: Session, kind: K): ListOf<K> {
    const { lists, contested } = live();
    const all: readonly Spec[] = lists[kind];
    const seen = access.list(session, all);
    const left =
      kind === 'tools' || kind === 'prompts' ? contested.leaveDropped(session, kind, seen) : firsts(seen);
    return left as ListOf<K>;
  }

  function shown<K extends ListKind>(session: Session, kind: K, client?: Client): ListOf<K> {
    const all: readonly Spec[] = visible(session, kind);
    return exposure.show(session, all, client) as ListOf<K>;
  }

  /** If the access check fails, nothing is shown; list callers get the failure. */
  function shownOrNone(session: Session, kind: ListKind): readonly Spec[] {
    try {
      return shown(session, kind);
    } catch {
      return [];
    }
  }

  return {
    visible,
    shown,
    onChange(session, listener) {
      let known = listKinds.map((kind) => shownOrNone(session, kind));
      const look = (): void => {
        const now = listKinds.map((kind, at) => keptIfEqual(known[at], shownOrNone(session, kind)));
        const changed = listKinds.filter((_, at) => now[at] !== known[at]);
        known = now;
        if (changed.length > 0) listener(changed);
      };
      watchers.set(look, session.id);
      return () => watchers.delete(look);
    },
    lookAll,
    close() {
      stopRights();
      stopExposure();
      watchers.clear();
    },
  };
}
