import { createServer, type Socket } from 'node:net';
import type { SocketGuest, SocketServer } from '../../gateway/index.js';
import { createLineReader } from '../../lib/lines.js';
import type { WireCommon } from '../identity.js';
import { serveStdio } from '../stdio/serve-stdio.js';

export interface SocketParts {
  /** The path of a socket in a folder that only this user can enter, or the name of a pipe. */
  readonly address: string;
  readonly common: WireCommon;
  /** Undefined: never issued, or already used. */
  readonly admit: (ticket: string) => SocketGuest | undefined;
}

const longestTicket = 256;
const ticketMs = 5000;

/** Serves clients on a local socket that send a valid ticket as their first line. */
export async function serveSocket({ address, common, admit }: SocketParts): Promise<SocketServer> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    readTicket(socket, (ticket) => {
      const guest = admit(ticket);
      if (guest === undefined) {
        socket.end('refused\n');
        return;
      }
      socket.write('welcome\n');
      guest.onEnter?.(() => socket.destroy());
      const served = serveStdio({ ...guest, common, input: socket, output: socket });
      socket.once('close', () => served.close());
      void served.ended.then(() => socket.end());
      socket.resume();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Reads the first line; the rest belongs to the protocol. */
function readTicket(socket: Socket, take: (ticket: string) => void): void {
  const lines = createLineReader(longestTicket);
  const timer = setTimeout(() => socket.destroy(), ticketMs);
  socket.once('close', () => clearTimeout(timer));
  socket.once('data', (chunk) => {
    clearTimeout(timer);
    // The ticket arrives in one chunk: it is too short to be split.
    const end = chunk.indexOf(0x0a);
    const [line] = end < 0 || end > longestTicket ? [] : lines.push(chunk.subarray(0, end + 1));
    if (line?.kind !== 'line') {
      socket.destroy();
      return;
    }
    socket.pause();
    if (end + 1 < chunk.length) socket.unshift(chunk.subarray(end + 1));
    take(line.text);
  });
}
