import assert from 'node:assert/strict';
import type { AccessStore } from '../../access/ports/index.js';
import { changesIn, historyOf, recordOf, storeCase, tokenOf, tupleOf, tuplesIn, writeOf } from './case.js';

const handles = 8;
const writesEach = 25;

export const handleCases = [
  storeCase('a confirmed change is visible to every handle at once', async ({ zone, open }) => {
    const [writer, reader] = [await open(), await open()];
    const tuple = tupleOf('principal:user/a', 'caller', 'tool:a');
    for (let round = 1; round <= 40; round += 2) {
      const before = await historyOf(reader, zone);
      await writer.write(writeOf(zone, { add: [tuple] }));
      assert.equal((await reader.head(zone)).revision, round);
      const changes = await changesIn(reader, zone, before);
      assert.deepEqual(changes, { kind: 'changes', revision: round, changes: [{ kind: 'add', tuple }] });
      await writer.write(writeOf(zone, { remove: [tuple] }));
      assert.equal((await reader.head(zone)).revision, round + 1);
      assert.deepEqual(await tuplesIn(reader, zone), []);
    }
    const token = tokenOf(zone);
    await writer.addToken(token, recordOf(zone));
    assert.deepEqual(await reader.findToken(token.hash), token);
    await writer.revokeToken(zone, token.id, 3, recordOf(zone));
    assert.equal((await reader.token(token.id))?.revokedAt, 3);
  }),

  storeCase(
    'eight handles that write concurrently lose nothing, and revisions have no gaps',
    async ({ zone, open }) => {
      const stores: AccessStore[] = [];
      for (let handle = 0; handle < handles; handle += 1) stores.push(await open());
      const written = await Promise.all(stores.map((store, handle) => writeMany(store, zone, handle)));
      for (const revisions of written)
        assert.deepEqual(
          revisions,
          [...revisions].sort((one, other) => one - other),
        );
      const all = written.flat().sort((one, other) => one - other);
      assert.deepEqual(
        all,
        Array.from({ length: handles * writesEach }, (_, place) => place + 1),
      );
      for (const store of stores) {
        assert.equal((await store.head(zone)).revision, handles * writesEach);
        assert.equal((await tuplesIn(store, zone)).length, handles * writesEach);
        const answer = await store.changes(zone, '');
        assert.equal(answer.kind === 'changes' && answer.changes.length, handles * writesEach);
      }
    },
  ),

  storeCase('if several writes expect the same state, exactly one succeeds', async ({ zone, open }) => {
    const stores: AccessStore[] = [];
    for (let handle = 0; handle < 4; handle += 1) stores.push(await open());
    for (let round = 0; round < 5; round += 1) {
      const expected = await historyOf(stores[round % 4] ?? (await open()), zone);
      const race = stores.map((store, handle) =>
        store.write(
          writeOf(zone, {
            add: [tupleOf(`principal:user/${handle}`, 'caller', `tool:${round}`)],
            expected,
          }),
        ),
      );
      const settled = await Promise.allSettled(race);
      assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1);
    }
    assert.equal((await tuplesIn(stores[0] ?? (await open()), zone)).length, 5);
  }),

  storeCase('a revision matches its tuples and never decreases', async ({ zone, open }) => {
    const [writer, reader] = [await open(), await open()];
    const progress = { isDone: false };
    const writing = writeOneAfterTheOther(writer, zone).finally(() => {
      progress.isDone = true;
    });
    let [last, from] = [0, ''];
    while (!progress.isDone) {
      const { head } = await reader.changes(zone, from);
      assert.ok(head.revision >= last);
      [last, from] = [head.revision, head.history];
      const all = await reader.changes(zone, undefined);
      const objects = all.kind === 'all' ? all.tuples.map(({ object }) => object) : ['no answer'];
      assert.deepEqual(objects, all.head.revision === 0 ? [] : [`tool:${all.head.revision - 1}`]);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await writing;
  }),

  storeCase('a closed handle rejects all calls, and other handles still work', async ({ zone, open }) => {
    const [closed, other] = [await open(), await open()];
    const tuple = tupleOf('principal:user/a', 'caller', 'tool:a');
    const last = closed.write(writeOf(zone, { add: [tuple] }));
    await closed.close();
    await closed.close();
    assert.equal((await last).revision, 1);
    const asks: readonly (() => unknown)[] = [
      () => closed.head(zone),
      () => closed.changes(zone, undefined),
      () => closed.write(writeOf(zone, { remove: [tuple] })),
      () => closed.time(),
      () => closed.grants(zone),
      () => closed.findToken('x'),
      () => closed.token('x'),
      () => closed.addToken(tokenOf(zone), recordOf(zone)),
      () => closed.revokeToken(zone, 'x', 1, recordOf(zone)),
      () => closed.tokens(zone),
      () => closed.touchTokens([]),
      () => closed.appendAudit([recordOf(zone)]),
      () => closed.audit({ zone, limit: 1 }),
    ];
    for (const ask of asks)
      await assert.rejects(async () => await ask(), { name: 'StoreError', code: 'store.closed' });
    assert.deepEqual(await tuplesIn(other, zone), [tuple]);
  }),
];

async function writeMany(store: AccessStore, zone: string, handle: number): Promise<readonly number[]> {
  const revisions: number[] = [];
  for (let round = 0; round < writesEach; round += 1) {
    const add = [tupleOf(`principal:user/${handle}`, 'caller', `tool:${round}`)];
    revisions.push((await store.write(writeOf(zone, { add }))).revision);
  }
  return revisions;
}

/** Keeps one tuple at a time, whose name contains the revision. */
async function writeOneAfterTheOther(store: AccessStore, zone: string): Promise<void> {
  for (let round = 0; round < 60; round += 1) {
    const add = [tupleOf('principal:user/a', 'caller', `tool:${round}`)];
    await store.write(writeOf(zone, { removeMatching: [{}], add }));
  }
}
