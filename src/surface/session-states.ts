import type { Cancellation, Client, Session, Spec } from '../kernel/index.js';
import { type ActivationSet, noneActive } from './activation.js';
import type { SurfaceWish } from './show.js';
import type { Split } from './split.js';

/** What is kept of a session whose tools are not all shown. */
export interface SessionState {
  readonly session: Session;
  client: Client | undefined;
  wish: SurfaceWish | undefined;
  set: ActivationSet;
  gone: readonly string[];
  /** What searches told it of last, by their place in the answer. */
  readonly told: Map<string, number>;
  /** Servers of which it has tools. */
  readonly met: Set<string>;
  /** It was told that its list changed, and did not read it. */
  isDeaf: boolean;
  shown: { readonly split: Split; readonly key: string; readonly list: readonly Spec[] } | undefined;
  heard(): void;
  untilHeard(ms: number, caller: Cancellation): Promise<boolean>;
}

export interface SessionStates {
  known(session: Session): SessionState | undefined;
  /** Made where there is none: a sub-agent begins with what its parent has, if it is to. */
  of(session: Session): SessionState;
  forget(session: Session): void;
  all(): readonly SessionState[];
}

/** Sessions of which something is kept; credentials that never come back are forgotten in their turn. */
const maxSessions = 10_000;

export function createSessionStates(inherits: boolean): SessionStates {
  const states = new Map<string, SessionState>();

  function make(session: Session): SessionState {
    const isHeir =
      inherits && session.inheritsActive !== false && session.chain?.at(-1)?.inheritsActive !== false;
    return createState(session, (isHeir ? parentOf(session)?.set : undefined) ?? noneActive);
  }

  /** In this process its parent is known by name; elsewhere by the credential that its own was made from. */
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
      // The one used last stands last: the first is the one to go.
      states.delete(session.id);
      if (states.size >= maxSessions) for (const id of [...states.keys()].slice(0, 1)) states.delete(id);
      states.set(session.id, state);
      return state;
    },
    forget: (session) => states.delete(session.id),
    all: () => [...states.values()],
  };
}

function createState(session: Session, set: ActivationSet): SessionState {
  const waiting = new Set<() => void>();
  return {
    session,
    client: undefined,
    wish: undefined,
    set,
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
        // A caller that is gone already says so before `onCancel` comes back.
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
