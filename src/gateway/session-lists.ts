import type { Access } from '../access/index.js';
import type { Exposure } from '../exposure/index.js';
import type { Client, Session, Spec } from '../core/index.js';
import { createGathering } from './gathering.js';
import { createListWatchers } from './list-watchers.js';
import { createFirsts, type ListKind, type ListOf } from './lists.js';
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
  const watchers = createListWatchers(shownOrNone);
  const lookAll = (): void => watchers.lookAll();
  const stopRights = access.onChange(createGathering(lookAll));
  const stopExposure = exposure.onChange((id) => watchers.look(id));

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
    onChange: (session, listener) => watchers.add(session, listener),
    lookAll,
    close() {
      stopRights();
      stopExposure();
      watchers.clear();
    },
  };
}
