import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Gateway } from '../../gateway/index.js';
import { type Caller, type Session, shareOwner } from '../../core/index.js';
import { createShares } from '../../lib/shares.js';
import { createInFlight } from '../framing/in-flight.js';
import { createSemaphore } from '../../lib/semaphore.js';
import { maxRunning, maxWaiting, type WireCommon } from '../identity.js';
import { type LegacyPeer, openLegacyPeer } from '../stateful/peer.js';
import { openPushStream, type PushStream } from './push-stream.js';

export interface LegacySession {
  readonly id: string;
  readonly peer: LegacyPeer;
  /** Open the stream for messages that belong to no request. */
  listen(response: ServerResponse): void;
}

/**
 * The sessions of stateful clients: found only with the credential that opened them, limited in number,
 * closed when idle.
 */
export interface LegacySessions {
  create(caller: Caller): LegacySession | undefined;
  find(id: string, caller: Caller): LegacySession | undefined;
  end(id: string, caller: Caller): boolean;
  /** End sessions with an invalid credential, and all that runs in them. */
  endVoid(isAlive: (credential: string) => boolean): void;
  /** Close idle sessions, and keep quiet streams alive. */
  tend(): void;
  close(): void;
  readonly size: number;
}

const maxSessions = 2000;
/** So that no token takes the places of all others of its principal. */
const maxOfOne = 500;
const idleMs = 30 * 60_000;

interface Entry extends LegacySession {
  /** The credential. */
  readonly owner: string;
  readonly principal: string | undefined;
  readonly push: PushStream;
  readonly isBusy: () => boolean;
  /** Frees its place. */
  readonly giveBack: () => void;
  close(): void;
  lastUse: number;
}

export function openLegacySessions(gateway: Gateway, common: WireCommon, now: () => number): LegacySessions {
  const sessions = new Map<string, Entry>();
  const shares = createShares(maxSessions, 0);

  const oldestIdle = (isMeant: (entry: Entry) => boolean = () => true): Entry | undefined =>
    oldestOf([...sessions.values()].filter((entry) => isMeant(entry) && isIdle(entry)));

  /** Whoever has its share makes room with a session of its own, never with one of another principal. */
  function takePlace(principal: string | undefined): (() => void) | undefined {
    const taken = shares.take(principal);
    if (typeof taken !== 'string') return taken;
    const own = oldestIdle((entry) => entry.principal === principal);
    // Its place goes to the new one.
    if (own !== undefined) return end(own).giveBack;
    const isNew = ![...sessions.values()].some((entry) => entry.principal === principal);
    const oldest = principal === undefined || isNew ? oldestIdle() : undefined;
    if (oldest === undefined) return undefined;
    remove(oldest);
    return placeIn(shares.take(principal));
  }

  function hasItsShare({ credential }: Caller): boolean {
    if (!credential.startsWith('token:')) return false;
    const own = [...sessions.values()].filter(({ owner }) => owner === credential);
    if (own.length < maxOfOne) return false;
    const idle = oldestIdle(({ owner }) => owner === credential);
    if (idle !== undefined) remove(idle);
    return idle === undefined;
  }

  function end(entry: Entry): Entry {
    sessions.delete(entry.id);
    entry.close();
    return entry;
  }

  function remove(entry: Entry): void {
    end(entry).giveBack();
  }

  function find(id: string, caller: Caller): Entry | undefined {
    const entry = sessions.get(id);
    if (entry?.owner !== caller.credential) return undefined;
    entry.lastUse = now();
    return entry;
  }

  return {
    create(caller) {
      if (hasItsShare(caller)) return undefined;
      const giveBack = takePlace(shareOwner(caller));
      if (giveBack === undefined) return undefined;
      const entry = openEntry({ gateway, common, caller, at: now(), giveBack });
      sessions.set(entry.id, entry);
      return entry;
    },
    find,
    end(id, caller) {
      const entry = find(id, caller);
      if (entry) remove(entry);
      return entry !== undefined;
    },
    endVoid(isAlive) {
      for (const entry of [...sessions.values()]) if (!isAlive(entry.owner)) remove(entry);
    },
    tend() {
      for (const entry of [...sessions.values()]) {
        entry.push.keepAlive();
        if (isIdle(entry) && now() - entry.lastUse > idleMs) remove(entry);
      }
    },
    close() {
      for (const entry of [...sessions.values()]) remove(entry);
    },
    get size() {
      return sessions.size;
    },
  };
}

function oldestOf(entries: readonly Entry[]): Entry | undefined {
  return entries.toSorted((a, b) => a.lastUse - b.lastUse)[0];
}

function placeIn(taken: (() => void) | string): (() => void) | undefined {
  return typeof taken === 'string' ? undefined : taken;
}

function isIdle({ isBusy, push }: Entry): boolean {
  return !isBusy() && !push.isOpen;
}

interface EntryParts {
  readonly gateway: Gateway;
  readonly common: WireCommon;
  readonly caller: Caller;
  readonly at: number;
  readonly giveBack: () => void;
}

function openEntry({ gateway, common, caller, at, giveBack }: EntryParts): Entry {
  const id = randomUUID();
  const session: Session = { id, principal: caller.principal, chain: caller.chain, scope: 'session' };
  const push = openPushStream();
  const inFlight = createInFlight();
  const peer = openLegacyPeer({
    gateway,
    session,
    server: common.server,
    pager: common.pagers.legacy,
    inFlight,
    semaphore: createSemaphore(maxRunning, maxWaiting),
    newRequestId: common.newRequestId,
    push: (text) => push.send(text),
  });
  return {
    id,
    peer,
    push,
    owner: caller.credential,
    principal: shareOwner(caller),
    lastUse: at,
    isBusy: () => inFlight.size > 0,
    listen: (response) => push.open(response),
    giveBack,
    close() {
      peer.close();
      inFlight.cancelAll();
      push.close();
      gateway.leave(session);
    },
  };
}
