import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AuditRecord } from '../../src/access/ports/index.js';
import { openAccessPlace, runOk } from '../support/access-place.js';
import { type BuiltStores, buildStores } from '../support/built-stores.js';
import { openHttpGate, type Place, waitFor } from '../support/gate.js';
import { openPostgresServer, type PostgresServer } from '../support/postgres.js';
import { runGate } from '../support/run-program.js';

let server: PostgresServer;
let stores: BuiltStores;
beforeAll(async () => {
  [server, stores] = await Promise.all([openPostgresServer(), buildStores()]);
}, 120_000);
afterAll(async () => {
  await server.close();
  stores.close();
});

const dayMs = 86_400_000;

function recordsOf(count: number, days: number): readonly AuditRecord[] {
  const at = Date.now() - days * dayMs;
  const record = { at, zone: 'local', action: 'call', decision: 'allow', principal: 'agent:a' } as const;
  return Array.from({ length: count }, () => record);
}

/** The same place, for processes whose clock runs ahead. */
function ahead(place: Place, days: number): Place {
  const file = join(place.directory, 'clock.mjs');
  writeFileSync(
    file,
    `const now = Date.now; Date.now = () => now() + ${String(days * dayMs)};
    globalThis.Date = new Proxy(Date, { construct: (date, given) => given.length > 0 ? new date(...given) : new date(date.now()) });`,
  );
  return { ...place, env: { ...place.env, NODE_OPTIONS: `--import ${pathToFileURL(file).href}` } };
}

it('[15.45] a gateway whose clock is 100 days ahead removes only records that are old for the store', async () => {
  const url = await server.createDatabase();
  const store = await stores.openPostgresStore({ url });
  await store.appendAudit([...recordsOf(150, 1), ...recordsOf(5, 91)]);
  const place = openAccessPlace({ store: { kind: 'postgres', url } });
  const gate = await openHttpGate(ahead(place, 100));
  const old = (days: number): Promise<number> => store.countAudit('local', Date.now() - days * dayMs);
  await waitFor(
    async () => (await old(90)) === 0,
    60_000,
    () => gate.said(),
  );
  await waitFor(
    async () => (await store.audit({ zone: 'local', action: 'audit.prune', limit: 1 })).length === 1,
    60_000,
    () => gate.said(),
  );
  const [pruned] = await store.audit({ zone: 'local', action: 'audit.prune', limit: 1 });
  expect(pruned?.detail).toMatchObject({ removed: 5 });
  // The clock of that gateway really ran ahead.
  expect(pruned?.at).toBeGreaterThan(Date.now() + 99 * dayMs);
  expect(await old(0.5)).toBe(150);
  await gate.close();
  // Control: by the clock of that gateway all of them would have gone, with the record of what it removed.
  expect(await store.pruneAudit('local', Date.now() + (100 - 90) * dayMs, 1000)).toBe(151);
  await store.close();
  place.close();
}, 180_000);

it('[15.45] records of a gateway whose clock is 100 days behind are kept as long as all others', async () => {
  const url = await server.createDatabase();
  const store = await stores.openPostgresStore({ url });
  const place = openAccessPlace({ store: { kind: 'postgres', url } });
  for (const name of ['agent:a', 'agent:b'])
    await runOk(ahead(place, -100), 'grant', name, 'Read', '--force');
  await store.appendAudit([...recordsOf(5, 91), ...recordsOf(5, 1)]);
  const written = await store.audit({ zone: 'local', action: 'grant.write', limit: 10 });
  // The clock of that gateway really ran behind, and the record says what it said.
  expect(written).toHaveLength(2);
  for (const { at } of written) expect(at).toBeLessThan(Date.now() - 99 * dayMs);
  const gate = await openHttpGate(place);
  const pruned = () => store.audit({ zone: 'local', action: 'audit.prune', limit: 1 });
  await waitFor(
    async () => (await pruned()).length === 1,
    60_000,
    () => gate.said(),
  );
  // Control: what is old by the clock of the store goes.
  expect((await pruned())[0]?.detail).toMatchObject({ removed: 5 });
  expect(await store.audit({ zone: 'local', action: 'grant.write', limit: 10 })).toHaveLength(2);
  await gate.close();
  await store.close();
  place.close();
}, 180_000);

it('[15.45] nearly all records are removed only if the operator gives an exact date', async () => {
  const url = await server.createDatabase();
  const store = await stores.openPostgresStore({ url });
  await store.appendAudit(recordsOf(150, 95));
  const place = openAccessPlace({ store: { kind: 'postgres', url } });
  const gate = await openHttpGate(place);
  await waitFor(
    () => gate.said().includes('access.prune_too_much'),
    60_000,
    () => gate.said(),
  );
  await gate.close();
  const refused = await runGate(place, ['audit', 'prune', '--older-than', '90d', '--json']);
  expect([refused.status, refused.stdout + refused.stderr]).toEqual([
    2,
    expect.stringContaining('access.prune_too_much'),
  ]);
  const before = Date.now() - 90 * dayMs;
  expect(await store.countAudit('local', before)).toBe(150);
  // Control: an exact date is taken at its word.
  await runOk(place, 'audit', 'prune', '--older-than', new Date(before).toISOString());
  expect(await store.countAudit('local', before)).toBe(0);
  await store.close();
  place.close();
}, 180_000);
