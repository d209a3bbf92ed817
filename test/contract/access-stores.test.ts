import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessStoreCases, type OpenAccessStore } from 'tidegate/testing';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type BuiltStores, buildStores } from '../support/built-stores.js';
import { openPostgresServer, type PostgresServer } from '../support/postgres.js';

let stores: BuiltStores;

beforeAll(async () => {
  stores = await buildStores();
});
afterAll(() => stores.close());

function keepsItsWord(openStore: OpenAccessStore): void {
  for (const { name, run } of accessStoreCases) it(name, () => run(openStore));
}

describe('the store in memory', () => {
  let database: ReturnType<BuiltStores['createMemoryDatabase']>;
  beforeAll(() => {
    database = stores.createMemoryDatabase();
  });
  keepsItsWord(async () => stores.createMemoryStore(database));
});

describe('the store in a SQLite file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-stores-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  keepsItsWord(() => stores.openSqliteStore({ file: join(folder, 'access.db') }));
});

describe('the store in PostgreSQL', () => {
  let server: PostgresServer;
  let url: string;
  beforeAll(async () => {
    server = await openPostgresServer();
    url = await server.createDatabase();
  });
  afterAll(() => server.close());
  keepsItsWord(() => stores.openPostgresStore({ url }));
});
