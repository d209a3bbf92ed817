import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below what systems give away by themselves: nobody else gets the port between this look and its use. */
const [lowest, beyond] = [12_000, 32_000];

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, beyond);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
