import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Gateway } from '../../gateway/index.js';
import { type Caller, type Session, shareOwner } from '../../core/index.js';
import { createShares } from '../../lib/shares.js';
import { createInFlight } from '../framing/in-flight.js';
import { createSemaphore } from '../../lib/semaphore.js';
import { maxRunning, maxWaiting, type WireCommon } from '../identity.js';
import { openLegacyPeer } from '../stateful/peer.js';
import { openPushStream, type PushStream } from './push-stream.js';
import type { SessionPeer, UndecidedPeer } from './roots/undecided-peer.js';

export interface LegacySession {
  readonly id: string;
  readonly peer: SessionPeer;
  /** Open the stream for messages that belong to no request. */
  listen(response: ServerResponse): void;
}

/** A session before its workspace is known. */
export interface Unplaced {
  readonly id: string;
  readonly push: PushStream;
  /** False once the session has ended. */
  isHere(): boolean;
  /** Opens the session in this workspace. */
  open(): SessionPeer;
  /** Forgets the session here, because another workspace has it now. */
  release(): void;
}

/** How a session begins, unless it begins immediately and in this workspace. */
export interface Beginning {
  /** Decides about the workspace first. */
  readonly undecided?: (session: Unplaced) => UndecidedPeer;
  /** The session was opened for another workspace; its client knows it by this id and stream. */
  readonly moved?: Pick<Unplaced, 'id' | 'push'>;
}

/**
 * The sessions of stateful clients: found only with the credential that opened them, limited in number,
 * closed when idle.
 */
export interface LegacySessions {
  create(caller: Caller, beginning?: Beginning): LegacySession | undefined;
  find(id: string, caller: Caller): LegacySession | undefined;
  end(id: string, caller: Caller): boolean;
  /** Whether the session of this credential was moved here from another workspace. */
  isMovedHere(id: string, credential: string): boolean;
  /** End sessions with an invalid credential, and all that runs in them. */
  endVoid(isAlive: (credential: string) => boolean): void;
  /** Close idle sessions, and keep quiet streams alive. */
  tend(): void;
  close(): void;
  readonly size: number;
}

const maxSessions = 2000;
/** So that one token cannot use up the slots of its principal's other tokens. */
const maxOfOne = 500;
const idleMs = 30 * 60_000;

interface Entry extends LegacySession {
  /** The credential. */
  readonly owner: string;
  readonly principal: string | undefined;
  readonly push: PushStream;
  readonly isMoved: boolean;
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

  /** A principal at its limit loses one of its own idle sessions, never a session of another principal. */
  function takePlace(principal: string | undefined): (() => void) | undefined {
    const taken = shares.take(principal);
    if (typeof taken !== 'string') return taken;
    const own = oldestIdle((entry) => entry.principal === principal);
    // The new session takes its slot.
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
    create(caller, beginning = {}) {
      if (hasItsShare(caller)) return undefined;
      const giveBack = takePlace(shareOwner(caller));
      if (giveBack === undefined) return undefined;
      const entry = openEntry({ gateway, common, caller, at: now(), giveBack, beginning, sessions });
      sessions.set(entry.id, entry);
      return entry;
    },
    isMovedHere: (id, credential) => isMovedTo(sessions.get(id), credential),
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

function isMovedTo(entry: Entry | undefined, credential: string): boolean {
  return entry?.owner === credential && entry.isMoved;
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
  readonly beginning: Beginning;
  readonly sessions: Map<string, Entry>;
}

function openEntry(parts: EntryParts): Entry {
  const { gateway, common, caller, at, giveBack } = parts;
  const { undecided, moved } = parts.beginning;
  const id = moved?.id ?? randomUUID();
  const session: Session = { id, principal: caller.principal, chain: caller.chain, scope: 'session' };
  const push = moved?.push ?? openPushStream();
  const inFlight = createInFlight();
  const open = (): SessionPeer =>
    openLegacyPeer({
      gateway,
      session,
      server: common.server,
      pager: common.pagers.legacy,
      inFlight,
      semaphore: createSemaphore(maxRunning, maxWaiting),
      newRequestId: common.newRequestId,
      push: (text) => push.send(text),
    });
  const front = undecided?.({
    id,
    push,
    open,
    isHere: () => parts.sessions.has(id),
    release() {
      if (parts.sessions.delete(id)) giveBack();
    },
  });
  const peer = front ?? open();
  return {
    id,
    peer,
    push,
    owner: caller.credential,
    principal: shareOwner(caller),
    lastUse: at,
    isMoved: moved !== undefined,
    isBusy: () => inFlight.size > 0 || front?.isBusy() === true,
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
