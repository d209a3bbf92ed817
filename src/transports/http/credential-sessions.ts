import type { Gateway } from '../../gateway/index.js';
import type { Caller, Session } from '../../core/index.js';
import { sessionIdAt } from './identify.js';

/** Sessions that last as long as a credential: stateless clients and the admin API. */
export interface CredentialSessions {
  /** The caller's session. Ends when its credential becomes invalid. */
  enter(entry: 'modern' | 'admin', caller: Caller): Session;
  /** Calls `cancel` if the credential becomes invalid before `release`. */
  hold(credential: string, cancel: () => void): { release(): void };
  endVoid(isAlive: (credential: string) => boolean): void;
}

interface Entered {
  readonly credential: string;
  readonly session: Session;
}

interface Held {
  readonly credential: string;
  readonly cancel: () => void;
}

export function createCredentialSessions(gateway: Pick<Gateway, 'leave'>): CredentialSessions {
  // At most two per valid credential: regular calls of `endVoid` remove the others.
  const entered = new Map<string, Entered>();
  const calls = new Set<Held>();
  return {
    enter(entry, { principal, chain, credential }) {
      const id = sessionIdAt(entry, credential);
      const session: Session = { id, principal, chain, scope: 'credential' };
      entered.set(id, { credential, session });
      return session;
    },
    hold(credential, cancel) {
      const held = { credential, cancel };
      calls.add(held);
      return { release: () => void calls.delete(held) };
    },
    endVoid(isAlive) {
      // End calls first: a background command that starts after its session ended would continue.
      for (const held of [...calls]) if (!isAlive(held.credential)) held.cancel();
      for (const [id, { credential, session }] of [...entered]) {
        if (isAlive(credential)) continue;
        entered.delete(id);
        gateway.leave(session);
      }
    },
  };
}
