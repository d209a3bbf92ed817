import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import postgres from 'postgres';
import type { AccessStore } from '../../src/access/ports/index.js';
import { type BuiltStores, buildStores } from '../support/built-stores.js';
import { openPostgresServer, type PostgresServer } from '../support/postgres.js';

const zone = 'local';
const record = { at: 1, zone, action: 'grant.write', decision: 'allow', principal: 'user:ana' } as const;
const tuple = { user: 'principal:agent/a', relation: 'caller', object: 'tool:a' };
const unavailable = { name: 'StoreError', code: 'store.unavailable' };

let stores: BuiltStores;
let server: PostgresServer;
const opened: AccessStore[] = [];

beforeAll(async () => {
  stores = await buildStores();
  server = await openPostgresServer();
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});
afterAll(async () => {
  await server.close();
  stores.close();
});

async function open(url: string): Promise<AccessStore> {
  const store = await stores.openPostgresStore({ url });
  opened.push(store);
  return store;
}

function through(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}

/** Everything that can be asked, each a promise. */
function asks(store: AccessStore): readonly Promise<unknown>[] {
  return [
    async () => await store.head(zone),
    async () => await store.changes(zone, undefined),
    async () => await store.findToken('x'),
    () => store.grants(zone),
    () => store.write({ zone, add: [tuple], record }),
    () => store.appendAudit([record]),
  ].map((ask) => ask());
}

async function expectUnavailable(store: AccessStore): Promise<void> {
  for (const answer of await Promise.allSettled(asks(store)))
    expect(answer).toMatchObject({ status: 'rejected', reason: unavailable });
}

/** Stands between the store and the server, and can hold its tongue. */
async function openProxy(port: number) {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const proxy = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        if (!isSilent) to.write(bytes);
      });
      from.on('close', () => to.destroy());
      from.on('error', () => to.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    count: () => sockets.size,
    silence: (silent: boolean) => {
      isSilent = silent;
    },
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

describe('a database server that is lost', () => {
  it('does not prevent opening; the store works once the server is back', async () => {
    const url = await server.createDatabase();
    await server.stop();
    const store = await open(url);
    await expectUnavailable(store);
    await server.start();
    expect((await store.head(zone)).revision).toBe(0);
    expect((await store.write({ zone, add: [tuple], record })).revision).toBe(1);
    await server.stop();
    await expectUnavailable(store);
    await expectUnavailable(store);
    await server.start();
    expect((await store.head(zone)).revision).toBe(1);
    expect(await store.changes(zone, undefined)).toMatchObject({ head: { revision: 1 }, tuples: [tuple] });
  });

  it('that stops responding is given up, and pending writes are not applied later', async () => {
    const url = await server.createDatabase();
    const proxy = await openProxy(server.port);
    const store = await open(through(url, proxy.port));
    await store.write({ zone, add: [tuple], record });
    proxy.silence(true);
    const started = performance.now();
    await expect(store.head(zone)).rejects.toMatchObject(unavailable);
    // Bounded: a session that waits for an answer is told so, not left hanging.
    expect(performance.now() - started).toBeLessThan(15_000);
    await expect(store.write({ zone, remove: [tuple], record })).rejects.toMatchObject(unavailable);
    proxy.silence(false);
    proxy.cut();
    expect((await store.head(zone)).revision).toBe(1);
    expect(await store.changes(zone, '')).toMatchObject({ kind: 'changes', head: { revision: 1 } });
    await store.close();
    await proxy.close();
  });

  it('whose connections are cut is reconnected by the next query', async () => {
    const url = await server.createDatabase();
    const proxy = await openProxy(server.port);
    const store = await open(through(url, proxy.port));
    await store.write({ zone, add: [tuple], record });
    for (let round = 0; round < 5; round += 1) {
      proxy.cut();
      await vi.waitFor(async () => expect((await store.head(zone)).revision).toBe(1), { timeout: 10_000 });
    }
    await store.close();
    await proxy.close();
  });
});

describe('hints', () => {
  it('arrive from another handle, even after a reconnect', async () => {
    const url = await server.createDatabase();
    const proxy = await openProxy(server.port);
    const [listener, writer] = [await open(through(url, proxy.port)), await open(url)];
    const heard: string[] = [];
    const stop = listener.onChange((moved) => heard.push(moved));
    const move = (name: string): Promise<unknown> =>
      writer.write({ zone, add: [{ ...tuple, object: `tool:${name}` }], record });
    await listener.head(zone);
    // Where it starts from is looked up in the background; who moves before that tells nobody.
    await vi.waitFor(
      async () => {
        await move(String(Math.random()));
        expect(heard).toContain(zone);
      },
      { timeout: 10_000, interval: 200 },
    );
    proxy.cut();
    heard.length = 0;
    await move('after');
    await vi.waitFor(() => expect(heard).toContain(zone), { timeout: 10_000 });
    stop();
    heard.length = 0;
    await move('unheard');
    expect(heard).toEqual([]);
    await listener.close();
    await proxy.close();
  });
});

describe('the schema', () => {
  it('is created once by many that open at once', async () => {
    const url = await server.createDatabase();
    const handles = await Promise.all(Array.from({ length: 6 }, () => open(url)));
    await Promise.all(
      handles.map((store, place) =>
        store.write({ zone, add: [{ ...tuple, object: `tool:${place}` }], record }),
      ),
    );
    expect((await handles[0]?.head(zone))?.revision).toBe(6);
  });

  it('of a newer version is refused, with its name, even if it appears later', async () => {
    const url = await server.createDatabase();
    const store = await open(url);
    await store.write({ zone, add: [tuple], record });
    const sql = postgres(url, { max: 1 });
    await sql`insert into tidegate.schema_versions values (99, '9.9.9', 0)`;
    const newer = { name: 'StoreError', code: 'store.newer_schema' };
    await expect(store.head(zone)).rejects.toMatchObject(newer);
    await expect(store.changes(zone, '')).rejects.toMatchObject(newer);
    await expect(store.write({ zone, remove: [tuple], record })).rejects.toMatchObject(newer);
    const refused = stores.openPostgresStore({ url });
    await expect(refused).rejects.toMatchObject(newer);
    await expect(refused).rejects.toThrow('9.9.9');
    await sql`delete from tidegate.schema_versions where version = 99`;
    expect((await store.head(zone)).revision).toBe(1);
    await sql.end();
  });

  it('that was dropped is created again', async () => {
    const url = await server.createDatabase();
    const store = await open(url);
    await store.write({ zone, add: [tuple], record });
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    await sql`drop schema tidegate cascade`;
    await expect(store.head(zone)).rejects.toMatchObject(unavailable);
    await vi.waitFor(async () =>
      expect(await store.changes(zone, 'gone')).toMatchObject({
        kind: 'all',
        head: { revision: 0 },
        tuples: [],
      }),
    );
    await sql.end();
  });
});

describe('a revision', () => {
  it('is queried once for all concurrent callers', async () => {
    const url = await server.createDatabase();
    const store = await open(url);
    await store.write({ zone, add: [tuple], record });
    const sql = postgres(url, { max: 1, idle_timeout: 1 });
    const transactions = async (): Promise<number> => {
      await sql`select pg_stat_force_next_flush()`;
      const [row] =
        await sql`select xact_commit::int as n from pg_stat_database where datname = current_database()`;
      return Number(row?.['n']);
    };
    const answers = await Promise.all(
      Array.from({ length: 500 }, async () => (await store.head(zone)).revision),
    );
    expect(new Set(answers)).toEqual(new Set([1]));
    expect(await transactions()).toBeLessThan(200);
    await sql.end();
  });

  it('reveals the password in no error', async () => {
    const url = await server.createDatabase();
    const wrong = new URL(url);
    wrong.password = 'sesame-secret';
    const store = await open(wrong.href);
    const error: unknown = await Promise.resolve(store.head(zone)).catch((reason: unknown) => reason);
    expect(error).toMatchObject(unavailable);
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('sesame');
  });
});
