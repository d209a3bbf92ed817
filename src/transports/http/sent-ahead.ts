import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Counts what each connection has sent without having its answers, and cuts off who sends too far ahead. */
export interface SentAhead {
  /** False when the connection was cut off instead. */
  admit(request: IncomingMessage, response: ServerResponse): boolean;
}

/** Answers leave a connection in order, so whoever does not read the first makes us keep all that follow. */
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
