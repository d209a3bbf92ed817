import type { ServerResponse } from 'node:http';

/** Tracks how much written data is unread, and disconnects clients that do not read. */
export interface UnreadLedger {
  /** `owner`: see `Shares`. */
  wrote(response: ServerResponse, bytes: number, owner: string | undefined): void;
}

interface Entry {
  readonly owner: string | undefined;
  readonly bytes: number;
  readonly since: number;
}

/** A slow reader gets this long even when memory is short, unless it holds twice the limit. */
const patienceMs = 1000;

export function createUnreadLedger(limit: number, now: () => number): UnreadLedger {
  const open = new Map<ServerResponse, Entry>();
  const byOwner = new Map<string | undefined, number>();
  let total = 0;

  function count(owner: string | undefined, bytes: number): void {
    total += bytes;
    const all = (byOwner.get(owner) ?? 0) + bytes;
    if (all > 0) byOwner.set(owner, all);
    else byOwner.delete(owner);
  }

  function forget(response: ServerResponse): void {
    const entry = open.get(response);
    if (entry !== undefined) count(entry.owner, -entry.bytes);
    open.delete(response);
  }

  /** Disconnects the slowest reader first, so that no client is cut off for data that others leave unread. */
  function largestOwner(): string | undefined {
    let largest: readonly [string | undefined, number] = [undefined, -1];
    for (const entry of byOwner) if (entry[1] > largest[1]) largest = entry;
    return largest[0];
  }

  function makeRoom(): void {
    for (let oldest = oldestOf(largestOwner()); oldest !== undefined; oldest = oldestOf(largestOwner())) {
      const [response, { since }] = oldest;
      if (total <= limit || (total <= 2 * limit && now() - since < patienceMs)) return;
      forget(response);
      // The socket, not the response: a queued response would keep its data.
      response.req.socket.destroy();
    }
  }

  function oldestOf(owner: string | undefined): readonly [ServerResponse, Entry] | undefined {
    for (const entry of open) if (entry[1].owner === owner) return entry;
    return undefined;
  }

  return {
    wrote(response, bytes, owner) {
      if (response.writableFinished || response.destroyed) return;
      if (!open.has(response)) {
        // Either may come first: `finish` when all is handed over, `close` when the client left.
        response.once('finish', () => forget(response));
        response.once('close', () => forget(response));
      }
      const before = open.get(response);
      open.set(response, { owner, bytes: bytes + (before?.bytes ?? 0), since: before?.since ?? now() });
      count(owner, bytes);
      if (total > limit) makeRoom();
    },
  };
}
