import type { Cancellation } from '../lib/cancellation.js';
import type { Client, Session, ToolSpec } from '../core/index.js';
import { type ActivationSet, noneActive } from './activation.js';
import type { ExposureOptions } from './show.js';
import type { Split } from './split.js';

/** The state of a session with lazy tools. */
export interface SessionState {
  readonly session: Session;
  client: Client | undefined;
  options: ExposureOptions | undefined;
  set: ActivationSet;
  /** The set is still its parent's, and may name tools that this session must not know about. */
  isInherited: boolean;
  gone: readonly string[];
  /** The latest search results by rank. */
  readonly told: Map<string, number>;
  /** Servers whose tools it has received. */
  readonly met: Set<string>;
  /** The client was notified of a changed list and did not refresh it. */
  isDeaf: boolean;
  shown: { readonly split: Split; readonly key: string; readonly list: readonly ToolSpec[] } | undefined;
  heard(): void;
  untilHeard(ms: number, caller: Cancellation): Promise<boolean>;
}

export interface SessionStates {
  known(session: Session): SessionState | undefined;
  /** Created if missing. A sub-agent starts with its parent's active tools, if configured. */
  of(session: Session): SessionState;
  forget(session: Session): void;
  all(): readonly SessionState[];
}

/** Limit of stored sessions; the least recently used are dropped. */
const maxSessions = 10_000;

export function createSessionStates(inherits: boolean): SessionStates {
  const states = new Map<string, SessionState>();

  function make(session: Session): SessionState {
    const isHeir =
      inherits && session.inheritsActive !== false && session.chain?.at(-1)?.inheritsActive !== false;
    return createState(session, isHeir ? parentOf(session)?.set : undefined);
  }

  /** The parent is known by session id in this process, otherwise by its parent credential. */
  function parentOf({ parentSession, chain }: Session): SessionState | undefined {
    if (parentSession !== undefined) return states.get(parentSession);
    const credential = chain?.at(-2)?.tokenId;
    if (credential === undefined) return undefined;
    return [...states.values()].findLast((one) => one.session.chain?.at(-1)?.tokenId === credential);
  }

  return {
    known: (session) => states.get(session.id),
    of(session) {
      const state = states.get(session.id) ?? make(session);
      // Least recently used first, so the first is evicted.
      states.delete(session.id);
      if (states.size >= maxSessions) for (const id of [...states.keys()].slice(0, 1)) states.delete(id);
      states.set(session.id, state);
      return state;
    },
    forget: (session) => states.delete(session.id),
    all: () => [...states.values()],
  };
}

function createState(session: Session, inherited: ActivationSet | undefined): SessionState {
  const waiting = new Set<() => void>();
  return {
    session,
    client: undefined,
    options: undefined,
    set: inherited ?? noneActive,
    isInherited: inherited !== undefined,
    gone: [],
    told: new Map(),
    met: new Set(),
    isDeaf: false,
    shown: undefined,
    heard() {
      for (const wake of [...waiting]) wake();
    },
    untilHeard: (ms, caller) =>
      new Promise((resolve) => {
        // If already cancelled, the listener runs before `onCancel` returns.
        let stop = (): void => undefined;
        const end = (isHeard: boolean): void => {
          clearTimeout(timer);
          stop();
          waiting.delete(wake);
          resolve(isHeard);
        };
        const wake = (): void => end(true);
        const timer = setTimeout(() => end(false), ms);
        waiting.add(wake);
        stop = caller.onCancel(() => end(false));
      }),
  };
}
