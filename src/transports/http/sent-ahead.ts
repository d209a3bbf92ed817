import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Counts the unanswered requests of each connection, and closes one that has too many. */
export interface SentAhead {
  /** False if the connection was closed instead. */
  admit(request: IncomingMessage, response: ServerResponse): boolean;
}

/** Answers are sent in order, so a client that does not read the first one makes us keep all the others. */
export function createSentAhead(limit: number): SentAhead {
  const open = new WeakMap<Socket, number>();
  return {
    admit({ socket }, response) {
      const count = open.get(socket) ?? 0;
      if (count >= limit) {
        socket.destroy();
        return false;
      }
      open.set(socket, count + 1);
      response.once('close', () => open.set(socket, (open.get(socket) ?? 1) - 1));
      return true;
    },
  };
}
