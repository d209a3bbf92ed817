import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAuthorizer } from '../../src/access/authorizer/index.js';
import { loadConditions } from '../../src/access/engine/index.js';
import { shippedModel } from '../../src/access/model.generated.js';
import { createPolicy } from '../../src/access/authorizer/policy.js';
import { resolveProfiles } from '../../src/access/profiles/index.js';
import type { AccessStore, GrantTuple } from '../../src/access/ports/index.js';
import { JsonText } from '../../src/lib/json-text.js';
import type { Session, ToolSpec } from '../../src/core/index.js';
import { type BuiltStores, buildStores } from '../support/built-stores.js';
import { count } from '../support/counts.js';
import { endProcess, openPlace, type Place, spawnStdioGate } from '../support/gate.js';
import { type LineClient, openLineClient } from '../support/line-client.js';
import { openPostgresServer, type PostgresServer } from '../support/postgres.js';
import { createRandom } from '../support/random.js';

// A right that was taken is gone for the very next call, in every process, whatever the gate remembers. This process
// takes it and waits for the acknowledgement; the gate, another one with all its caches, is called right after.
const revokes = count(10_000);
const alice = 'principal:agent/alice';
let stores: BuiltStores;
let postgres: PostgresServer;

beforeAll(async () => {
  stores = await buildStores();
  postgres = await openPostgresServer();
}, 120_000);

afterAll(async () => {
  stores.close();
  await postgres.close();
});

/** Ways to have a right to Read, each of which can be taken. */
const ways: readonly GrantTuple[] = [
  { user: alice, relation: 'caller', object: 'tool:builtin/Read' },
  { user: alice, relation: 'caller', object: 'provider:builtin' },
  { user: alice, relation: 'caller', object: 'group:glob/R*' },
  { user: alice, relation: 'caller', object: 'group:tier/1' },
  { user: alice, relation: 'assignee', object: 'profile:coding' },
  { user: alice, relation: 'member', object: 'role:readers' },
];
const ground: GrantTuple = { user: 'role:readers#member', relation: 'caller', object: 'tool:builtin/Read' };

async function change(
  store: AccessStore,
  add: readonly GrantTuple[],
  remove: readonly GrantTuple[],
): Promise<void> {
  const record = {
    at: Date.now(),
    zone: 'local',
    action: 'test',
    decision: 'allow',
    principal: 'user:test',
  } as const;
  await store.write({ zone: 'local', add, remove, record });
}

interface Stage {
  readonly place: Place;
  readonly client: LineClient;
  readonly store: AccessStore;
  close(): Promise<void>;
}

async function openStage(kind: 'sqlite' | 'postgres'): Promise<Stage> {
  const url = kind === 'postgres' ? await postgres.createDatabase() : '';
  const place = openPlace({
    builtins: ['Read'],
    access: { default_profile: 'none' },
    log: { level: 'error' },
    ...(kind === 'postgres' && { store: { kind, url } }),
  });
  const store =
    kind === 'postgres'
      ? await stores.openPostgresStore({ url })
      : await stores.openSqliteStore({ file: join(place.env['TIDEGATE_HOME'] ?? '', 'state.db') });
  const client = openLineClient(spawnStdioGate(place, '--as', 'agent:alice'));
  await client.initialize();
  await change(store, [ground], []);
  return {
    place,
    client,
    store,
    async close() {
      await endProcess(client.child);
      await store.close();
      place.close();
    },
  };
}

async function isCallable(client: LineClient): Promise<boolean> {
  const { message } = await client.request('tools/call', { name: 'Read', arguments: { file_path: 1 } });
  return message.error?.message !== 'Unknown tool: Read';
}

describe.each(['sqlite', 'postgres'] as const)('with grants in %s', (kind) => {
  it(`after each of ${String(revokes)} revokes the next call fails, and after each grant it succeeds`, async () => {
    const stage = await openStage(kind);
    const random = createRandom();
    let stale = 0;
    let missing = 0;
    try {
      for (let turn = 0; turn < revokes; turn += 1) {
        const way = random.pick(ways);
        await change(stage.store, [way], []);
        if (!(await isCallable(stage.client))) missing += 1;
        await change(stage.store, [], [way]);
        if (await isCallable(stage.client)) stale += 1;
      }
    } finally {
      await stage.close();
    }
    expect({ stale, missing, seed: random.seed }).toEqual({ stale: 0, missing: 0, seed: random.seed });
  }, 3_600_000);

  it('calls in flight while grants change are never admitted by an older decision', async () => {
    const stage = await openStage(kind);
    const way = ways[0] ?? ground;
    try {
      for (let turn = 0; turn < count(500); turn += 1) {
        await change(stage.store, [way], []);
        // Some of these are asked before the revoke, so either answer is right for them.
        const crowd = Array.from({ length: 8 }, () => isCallable(stage.client));
        await change(stage.store, [], [way]);
        const after = Array.from({ length: 8 }, () => isCallable(stage.client));
        expect(await Promise.all(after)).not.toContain(true);
        await Promise.all(crowd);
      }
    } finally {
      await stage.close();
    }
  }, 3_600_000);
});

it('control: a decision cached for ten revisions admits revoked calls', async () => {
  const database = stores.createMemoryDatabase();
  const writer = stores.createMemoryStore(database);
  const reader = stores.createMemoryStore(database);
  let known = await reader.head('local');
  const inBuckets: AccessStore = {
    ...reader,
    // As a cache by quantised revision does: the number changes once in ten writes.
    head: async (zone) => {
      const now = await reader.head(zone);
      if (Math.floor(now.revision / 10) !== Math.floor(known.revision / 10)) known = now;
      return known;
    },
  };
  const authorizer = openAuthorizer({
    store: inBuckets,
    zone: 'local',
    model: shippedModel,
    conditions: await loadConditions(shippedModel),
    policy: createPolicy(resolveProfiles([], { isBuiltin: () => true, defaultProfile: 'none' })),
    isAlive: () => true,
    confirm: () => true,
    now: () => Date.now(),
    log: () => undefined,
  });
  const session: Session = {
    id: 's',
    scope: 'connection',
    principal: { kind: 'agent', id: 'alice', zone: 'local' },
  };
  // One more write: buckets begin with a grant, not with a revoke.
  await change(writer, [ground], []);
  let stale = 0;
  for (let turn = 0; turn < 100; turn += 1) {
    const way = ways[0] ?? ground;
    await change(writer, [way], []);
    await authorizer.refresh(session);
    await change(writer, [], [way]);
    await authorizer.refresh(session);
    if (authorizer.visible(session, readTool).callable) stale += 1;
  }
  authorizer.close();
  expect(stale).toBeGreaterThan(0);
});

const readTool: ToolSpec = {
  kind: 'tool',
  name: 'Read',
  localName: 'Read',
  source: 'builtin',
  effect: 'read',
  hints: {},
  definition: JsonText.from({ name: 'Read' }),
};
