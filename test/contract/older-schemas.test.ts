// What an older program kept is still there, and stands where its time puts it.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccessStore, AuditRecord } from '../../src/access/ports/index.js';
import { schemaSteps as postgresSteps } from '../../src/stores/postgres/schema.js';
import { openStoreFile } from '../support/open-store-file.js';
import { schemaSteps as sqliteSteps } from '../../src/stores/sqlite/schema.js';
import { type BuiltStores, buildStores } from '../support/built-stores.js';
import { openPostgresServer, type PostgresServer } from '../support/postgres.js';

const zone = 'local';
/** As an agent may write a name: it must not be taken for the time. */
const odd = 'a\0b\ud800 {"at":7}';
const records: readonly AuditRecord[] = [30, 50, 10].map((at) => ({
  principal: odd,
  target: odd,
  at,
  zone,
  action: 'call',
  decision: 'deny',
}));
const rows = records.map((record) => [zone, 'agent:a', 'call', 'deny', JSON.stringify(record)] as const);

async function expectKept(store: AccessStore): Promise<void> {
  const found = await store.audit({ zone, limit: 10 });
  expect(found.map(({ at, target }) => [at, target])).toEqual([50, 30, 10].map((at) => [at, odd]));
  expect(await store.pruneAudit(zone, 30, 10)).toBe(1);
  await store.close();
}

describe('a store with the first schema', () => {
  let stores: BuiltStores;
  let server: PostgresServer;
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-older-'));
  beforeAll(async () => {
    [stores, server] = await Promise.all([buildStores(), openPostgresServer()]);
  });
  afterAll(async () => {
    await server.close();
    stores.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('in a SQLite file is upgraded with its records', async () => {
    const file = join(folder, 'state.db');
    const connection = await openStoreFile(file, 1000);
    connection.exec(sqliteSteps[0] ?? '');
    connection.exec("insert into schema_versions values (1, '0.0.1', 0)");
    const add = connection.prepare(
      'insert into audit (zone, principal, action, decision, record) values (?, ?, ?, ?, ?)',
    );
    for (const row of rows) add.run(...row);
    connection.close();
    chmodSync(file, 0o600);
    await expectKept(await stores.openSqliteStore({ file }));
  });

  it('in PostgreSQL is upgraded with its records', async () => {
    const url = await server.createDatabase();
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    await sql.unsafe(`create schema tidegate;
      create table tidegate.schema_versions (
        version bigint primary key, program text not null, applied_at bigint not null
      );
      insert into tidegate.schema_versions values (1, '0.0.1', 0)`);
    await sql.unsafe(postgresSteps[0] ?? '');
    for (const [of, principal, action, decision, record] of rows)
      await sql`insert into tidegate.audit (zone, principal, action, decision, record)
        values (${of}, ${principal}, ${action}, ${decision}, ${record})`;
    await sql.end();
    await expectKept(await stores.openPostgresStore({ url }));
  });
});
