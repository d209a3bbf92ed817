import type { ServerResponse } from 'node:http';

/** Tracks how much written data is unread, and disconnects clients that do not read. */
export interface UnreadLedger {
  wrote(response: ServerResponse, bytes: number): void;
}

interface Entry {
  readonly bytes: number;
  readonly since: number;
}

/** A slow reader gets this long even when memory is short, unless it holds twice the limit. */
const patienceMs = 1000;

export function createUnreadLedger(limit: number, now: () => number): UnreadLedger {
  const open = new Map<ServerResponse, Entry>();
  let total = 0;

  function forget(response: ServerResponse): void {
    total -= open.get(response)?.bytes ?? 0;
    open.delete(response);
  }

  function makeRoom(): void {
    for (const [response, { since }] of open) {
      if (total <= limit || (total <= 2 * limit && now() - since < patienceMs)) return;
      forget(response);
      // The socket, not the response: a queued response would keep its data.
      response.req.socket.destroy();
    }
  }

  return {
    wrote(response, bytes) {
      if (response.writableFinished || response.destroyed) return;
      if (!open.has(response)) {
        // Either may come first: `finish` when all is handed over, `close` when the client left.
        response.once('finish', () => forget(response));
        response.once('close', () => forget(response));
      }
      const before = open.get(response);
      open.set(response, { bytes: bytes + (before?.bytes ?? 0), since: before?.since ?? now() });
      total += bytes;
      if (total > limit) makeRoom();
    },
  };
}
