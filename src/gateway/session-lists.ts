import type { Access } from '../access/index.js';
import type { Exposure } from '../exposure/index.js';
import type { Client, Session, Spec } from '../core/index.js';
import { createGathering } from './gathering.js';
import { createListWatchers } from './list-watchers.js';
import type { ListKind, ListOf } from './lists.js';
import type { Visible } from './visible.js';

/** The lists that clients get, and their changes. */
export interface SessionLists {
  /** The list for this client; without a client, everything the session can see. */
  shown<K extends ListKind>(session: Session, kind: K, client?: Client): ListOf<K>;
  /** Called with the lists of this session that changed. */
  onChange(session: Session, listener: (changed: readonly ListKind[]) => void): () => void;
  /** Compares the lists of all watched sessions with their previous state. */
  lookAll(): void;
  close(): void;
}

export function openSessionLists(visible: Visible, access: Access, exposure: Exposure): SessionLists {
  const watchers = createListWatchers(shownOrNone);
  const lookAll = (): void => watchers.lookAll();
  const stopRights = access.onChange(createGathering(lookAll));
  const stopExposure = exposure.onChange((id) => watchers.look(id));

  function shown<K extends ListKind>(session: Session, kind: K, client?: Client): ListOf<K> {
    if (kind !== 'tools') return visible.list(session, kind);
    return exposure.show(session, visible.tools(session), client) as ListOf<K>;
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
