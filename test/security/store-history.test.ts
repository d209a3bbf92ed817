import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPolicy, openAuthorizer } from '../../src/access/authorizer/index.js';
import { loadConditions } from '../../src/access/engine/index.js';
import { shippedModel } from '../../src/access/model.generated.js';
import type { AccessStore } from '../../src/access/ports/index.js';
import { resolveProfiles } from '../../src/access/profiles/index.js';
import { schemaSteps } from '../../src/stores/postgres/schema.js';
import { makeToken, openAccessPlace, runOk } from '../support/access-place.js';
import { type BuiltStores, buildStores } from '../support/built-stores.js';
import { tool } from '../support/admin-service.js';
import { type HttpGate, openHttpGate } from '../support/gate.js';
import { openPostgresServer, type PostgresServer } from '../support/postgres.js';
import { openScripted } from '../support/upstreams.js';

let server: PostgresServer;
let stores: BuiltStores;
beforeAll(async () => {
  [server, stores] = await Promise.all([openPostgresServer(), buildStores()]);
});
afterAll(async () => {
  await server.close();
  stores.close();
});

const tables = ['zones', 'grants', 'changes', 'histories', 'tokens', 'audit'];
const connect = (url: string) => postgres(url, { max: 1, onnotice: () => {} });

/** Copies what the store holds, as a backup does. */
async function save(url: string, name: string): Promise<void> {
  const sql = connect(url);
  await sql.unsafe(`create schema ${name}`);
  for (const table of tables)
    await sql.unsafe(`create table ${name}.${table} as select * from tidegate.${table}`);
  await sql.end();
}

/** Puts the copy in place of what the store holds, in one moment. */
async function restore(url: string, name: string): Promise<void> {
  const sql = connect(url);
  const steps = tables.map(
    (table) =>
      `delete from tidegate.${table}; insert into tidegate.${table} overriding system value select * from ${name}.${table}`,
  );
  await sql.unsafe(`begin; ${steps.join('; ')}; commit`);
  await sql.end();
}

async function revisionIn(url: string): Promise<unknown> {
  const sql = connect(url);
  const [row] = await sql`select revision::int as revision from tidegate.zones where name = 'local'`;
  await sql.end();
  return row?.['revision'];
}

async function callOver(gate: HttpGate, secret: string): Promise<number> {
  const headers = { authorization: `Bearer ${secret}` };
  return (await fetch(`${gate.base}/api/tools/up_a/call`, { method: 'POST', headers, body: '{}' })).status;
}

describe('a restored store', () => {
  it('[15.44] with other changes at the same revision is read again by every replica', async () => {
    const url = await server.createDatabase();
    const upstream = await openScripted('stdio', 'legacy', {
      lists: { 'tools/list': ['{"name":"a","inputSchema":{"type":"object"}}'] },
      answers: { 'tools/call': { a: { result: '{"content":[]}' } } },
    });
    const place = openAccessPlace(
      { servers: { up: upstream.entry }, store: { kind: 'postgres', url } },
      { default_profile: 'none', profiles: {} },
    );
    const { secret } = await makeToken(place, '--as', 'agent:alice');
    await save(url, 'before');
    await runOk(place, 'grant', 'agent:bob', 'up_a', '--force');
    await save(url, 'without');
    const revision = await revisionIn(url);
    await restore(url, 'before');
    await runOk(place, 'grant', 'agent:alice', 'up_a', '--force');
    const gates = [await openHttpGate(place), await openHttpGate(place)];
    for (const gate of gates) expect(await callOver(gate, secret)).toBe(200);
    // The number alone cannot tell the two states apart.
    expect(await revisionIn(url)).toBe(revision);
    await restore(url, 'without');
    expect(await revisionIn(url)).toBe(revision);
    for (const gate of gates) expect(await callOver(gate, secret)).toBe(404);
    await Promise.all(gates.map((gate) => gate.close()));
    await upstream.close();
    place.close();
  });

  it('[15.44] control: an authorizer that compares only the number keeps allowing', async () => {
    const [one, other] = [stores.createMemoryStore(), stores.createMemoryStore()];
    const record = {
      at: 1,
      zone: 'local',
      action: 'grant.write',
      decision: 'allow',
      principal: 'user:ana',
    } as const;
    const alice = { user: 'principal:agent/alice', relation: 'caller', object: 'tool:builtin/Read' };
    await one.write({ zone: 'local', add: [alice], record });
    await other.write({ zone: 'local', add: [{ ...alice, user: 'principal:agent/bob' }], record });
    const isAllowed = async (isByNumber: boolean): Promise<boolean> => {
      let current: AccessStore = one;
      const authorizer = openAuthorizer({
        store: {
          ...one,
          async head(zone) {
            const head = await current.head(zone);
            return isByNumber ? { ...head, history: String(head.revision) } : head;
          },
          async changes(zone, from) {
            const changes = await current.changes(zone, from);
            const { head } = changes;
            return isByNumber ? { ...changes, head: { ...head, history: String(head.revision) } } : changes;
          },
        },
        zone: 'local',
        model: shippedModel,
        conditions: await loadConditions(shippedModel),
        policy: createPolicy(resolveProfiles([], { isBuiltin: () => true, defaultProfile: 'none' })),
        isAlive: () => true,
        confirm: () => true,
        now: () => Date.now(),
        log: () => undefined,
      });
      const principal = { kind: 'agent', id: 'alice', zone: 'local' } as const;
      const session = { id: 's', principal, scope: 'session' } as const;
      await authorizer.refresh();
      expect(authorizer.visible(session, tool('Read')).callable).toBe(true);
      current = other;
      await authorizer.refresh();
      const { callable } = authorizer.visible(session, tool('Read'));
      authorizer.close();
      return callable;
    };
    expect(await isAllowed(true)).toBe(true);
    expect(await isAllowed(false)).toBe(false);
  });
});

describe('a schema migration', () => {
  it('[15.47] of PostgreSQL can take longer than any other statement', async () => {
    const url = await server.createDatabase();
    const sql = connect(url);
    await sql.unsafe(`create schema tidegate;
      create table tidegate.schema_versions (
        version bigint primary key, program text not null, applied_at bigint not null
      );
      insert into tidegate.schema_versions values (1, '0.0.1', 0)`);
    await sql.unsafe(schemaSteps[0] ?? '');
    const record = '{"at":5,"zone":"local","action":"call","decision":"deny","principal":"agent:a"}';
    for (let row = 0; row < 4; row += 1)
      await sql`insert into tidegate.audit (zone, principal, action, decision, record)
        values ('local', 'agent:a', 'call', 'deny', ${record})`;
    // Four rows that take as long as a million: longer than the limits of writes, 15 and 20 seconds.
    await sql.unsafe(`create function slow() returns trigger language plpgsql as
        'begin perform pg_sleep(5.5); return new; end';
      create trigger slow before update on tidegate.audit for each row execute function slow()`);
    const store = await stores.openPostgresStore({ url });
    expect(await store.audit({ zone: 'local', limit: 10 })).toHaveLength(4);
    // Control: a write has its limit still.
    await sql.unsafe(`create trigger slow before insert on tidegate.grants for each row execute function slow();
      create or replace function slow() returns trigger language plpgsql as
        'begin perform pg_sleep(30); return new; end'`);
    const add = [{ user: 'principal:agent/a', relation: 'caller', object: 'tool:a' }];
    const written = store.write({
      zone: 'local',
      add,
      record: { at: 1, zone: 'local', action: 'grant.write', decision: 'allow', principal: 'user:ana' },
    });
    await expect(written).rejects.toMatchObject({ code: 'store.unavailable' });
    await store.close();
    await sql.end();
  }, 120_000);
});
