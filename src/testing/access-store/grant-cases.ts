import assert from 'node:assert/strict';
import type { GrantFilter, GrantTuple } from '../../access/ports/index.js';
import { changesIn, historyOf, storeCase, tupleOf, tuplesIn, writeOf } from './case.js';

const [alice, bob] = ['principal:agent/alice', 'principal:agent/bob'];
const [coding, minimal] = ['profile:coding', 'profile:minimal'];
const untilMay: GrantTuple['condition'] = {
  name: 'not_expired',
  context: { until: '2030-05-01T00:00:00Z', n: 1 },
};

export const grantCases = [
  storeCase('a zone without history is at revision 0 and empty', async ({ zone, open }) => {
    const store = await open();
    assert.equal((await store.head(zone)).revision, 0);
    assert.deepEqual(await changesIn(store, zone, undefined), { kind: 'all', revision: 0, tuples: [] });
    assert.deepEqual(await changesIn(store, zone, ''), { kind: 'changes', revision: 0, changes: [] });
    assert.deepEqual(await store.grants(zone), []);
    assert.deepEqual(await store.tokens(zone), []);
    assert.deepEqual(await store.audit({ zone, limit: 10 }), []);
  }),

  storeCase('a change increases only the revision of its own zone', async ({ zone, open }) => {
    const store = await open();
    const other = `${zone}-other`;
    const tuple = tupleOf(alice, 'caller', 'tool:builtin/Read');
    const written = await store.write(writeOf(zone, { add: [tuple] }));
    assert.deepEqual(written, { revision: 1, added: [tuple], removed: [] });
    assert.equal((await store.head(zone)).revision, 1);
    assert.equal((await store.head(other)).revision, 0);
    assert.deepEqual(await tuplesIn(store, other), []);
    await store.write(writeOf(other, { add: [tuple], remove: [] }));
    await store.write(writeOf(zone, { remove: [tuple] }));
    assert.deepEqual(await tuplesIn(store, zone), []);
    assert.deepEqual(await tuplesIn(store, other), [tuple]);
    assert.deepEqual([(await store.head(zone)).revision, (await store.head(other)).revision], [2, 1]);
  }),

  storeCase('adding an existing tuple or removing a missing one changes nothing', async ({ zone, open }) => {
    const store = await open();
    const tuple = { ...tupleOf(alice, 'caller', 'tool:a'), condition: untilMay };
    const absent = tupleOf(bob, 'caller', 'tool:a');
    await store.write(writeOf(zone, { add: [tuple, tuple] }));
    const again = {
      ...tuple,
      condition: { name: 'not_expired', context: { n: 1, until: '2030-05-01T00:00:00Z' } },
    };
    const written = await store.write(writeOf(zone, { add: [again], remove: [absent] }));
    assert.deepEqual(written, { revision: 1, added: [], removed: [] });
    assert.deepEqual(await store.write(writeOf(zone, {})), { revision: 1, added: [], removed: [] });
    assert.equal((await store.head(zone)).revision, 1);
    assert.deepEqual(await tuplesIn(store, zone), [tuple]);
  }),

  storeCase('a new condition replaces the old one', async ({ zone, open }) => {
    const store = await open();
    const plain = tupleOf(alice, 'caller', 'tool:a');
    const shapes: readonly GrantTuple[] = [
      plain,
      { ...plain, condition: { name: 'not_expired' } },
      { ...plain, condition: untilMay },
      { ...plain, condition: { name: 'not_expired', context: {} } },
      { ...plain, condition: { name: 'other', context: {} } },
      plain,
    ];
    let former: readonly GrantTuple[] = [];
    for (const [place, shape] of shapes.entries()) {
      const written = await store.write(writeOf(zone, { add: [shape] }));
      assert.deepEqual(written, { revision: place + 1, added: [shape], removed: former });
      assert.deepEqual(await tuplesIn(store, zone), [shape]);
      former = [shape];
    }
  }),

  storeCase(
    'one write removes filter matches, then named tuples, and then adds new ones',
    async ({ zone, open }) => {
      const store = await open();
      const assigned = tupleOf(alice, 'assignee', coding);
      const granted = tupleOf(alice, 'caller', 'tool:a');
      const kept = tupleOf(bob, 'assignee', coding);
      await store.write(writeOf(zone, { add: [assigned, granted, kept] }));
      const isProfile: GrantFilter = { user: alice, relation: 'assignee', objectType: 'profile' };
      const next = tupleOf(alice, 'assignee', minimal);
      const written = await store.write(
        writeOf(zone, { removeMatching: [isProfile], remove: [granted], add: [next] }),
      );
      assert.deepEqual(written, { revision: 2, added: [next], removed: [assigned, granted] });
      // Removing and adding the same tuple has no effect.
      const same = await store.write(
        writeOf(zone, { removeMatching: [isProfile], remove: [kept], add: [kept, next] }),
      );
      assert.deepEqual(same, { revision: 2, added: [], removed: [] });
      assert.deepEqual(
        (await store.grants(zone)).map(({ user, object, revision }) => [user, object, revision]),
        [
          [bob, coding, 1],
          [alice, minimal, 2],
        ],
      );
    },
  ),

  storeCase('a filter matches if all its fields match', async ({ zone, open }) => {
    const store = await open();
    const all = [
      tupleOf(alice, 'caller', 'tool:a'),
      tupleOf(alice, 'caller', 'toolbox:a'),
      tupleOf(alice, 'seer', 'tool:a'),
      tupleOf(bob, 'caller', 'tool:a'),
      tupleOf(bob, 'caller', 'tool:a:b'),
    ];
    await store.write(writeOf(zone, { add: all }));
    const found = async (filter?: GrantFilter): Promise<readonly number[]> =>
      (await store.grants(zone, filter)).map(({ user, relation, object }) =>
        all.findIndex((one) => one.user === user && one.relation === relation && one.object === object),
      );
    assert.deepEqual(await found(), [0, 3, 2, 4, 1]);
    assert.deepEqual(await found({}), [0, 3, 2, 4, 1]);
    assert.deepEqual(await found({ user: bob }), [3, 4]);
    assert.deepEqual(await found({ relation: 'seer' }), [2]);
    assert.deepEqual(await found({ object: 'tool:a' }), [0, 3, 2]);
    assert.deepEqual(await found({ objectType: 'tool' }), [0, 3, 2, 4]);
    assert.deepEqual(await found({ objectType: 'too' }), []);
    assert.deepEqual(await found({ user: alice, relation: 'caller', objectType: 'toolbox' }), [1]);
    const written = await store.write(
      writeOf(zone, { removeMatching: [{ user: bob }, { relation: 'seer' }] }),
    );
    assert.deepEqual(written.removed, [all[3], all[2], all[4]]);
    assert.equal((await store.write(writeOf(zone, { removeMatching: [{}] }))).removed.length, 2);
  }),

  storeCase('a tuple stores its author, time and revision', async ({ zone, open }) => {
    const store = await open();
    const tuple = { ...tupleOf(alice, 'caller', 'tool:a'), condition: untilMay };
    const base = writeOf(zone, { add: [tuple] });
    await store.write({ ...base, record: { ...base.record, principal: 'user:ben', at: 1_800_000_000_123 } });
    await store.write(writeOf(zone, { add: [tuple, tupleOf(bob, 'caller', 'tool:a')] }));
    assert.deepEqual(await store.grants(zone, { user: alice }), [
      { ...tuple, createdBy: 'user:ben', createdAt: 1_800_000_000_123, revision: 1 },
    ]);
  }),

  storeCase('a write that expects another state is rejected without effect', async ({ zone, open }) => {
    const store = await open();
    const tuple = tupleOf(alice, 'caller', 'tool:a');
    await store.write(writeOf(zone, { add: [tuple], expected: '' }));
    for (const expected of ['', 'elsewhere']) {
      const late = writeOf(zone, { removeMatching: [{}], add: [tupleOf(bob, 'caller', 'tool:a')], expected });
      await assert.rejects(store.write(late), { name: 'StoreError', code: 'store.conflict' });
    }
    assert.equal((await store.head(zone)).revision, 1);
    assert.deepEqual(await tuplesIn(store, zone), [tuple]);
    assert.equal((await store.audit({ zone, limit: 10 })).length, 1);
    await store.write(writeOf(zone, { remove: [tuple], expected: await historyOf(store, zone) }));
    assert.equal((await store.head(zone)).revision, 2);
  }),

  storeCase('a rejected write does not affect concurrent writes', async ({ zone, open }) => {
    const store = await open();
    const writes = Array.from({ length: 40 }, (_, place) =>
      store.write(
        writeOf(zone, {
          add: [tupleOf(alice, 'caller', `tool:${place}`)],
          ...(place % 4 === 3 ? { expected: 'elsewhere' } : {}),
        }),
      ),
    );
    const settled = await Promise.allSettled(writes);
    assert.deepEqual(
      settled.map(({ status }) => status),
      settled.map((_, place) => (place % 4 === 3 ? 'rejected' : 'fulfilled')),
    );
    assert.equal((await store.head(zone)).revision, 30);
    assert.equal((await tuplesIn(store, zone)).length, 30);
    assert.equal((await store.audit({ zone, limit: 100 })).length, 30);
  }),

  storeCase('values passed in or out are copies', async ({ zone, open }) => {
    const store = await open();
    const context = { until: '2030-01-01T00:00:00Z', deep: { list: [1, 2] } };
    const tuple = { ...tupleOf(alice, 'caller', 'tool:a'), condition: { name: 'not_expired', context } };
    const wanted = structuredClone(tuple);
    await store.write(writeOf(zone, { add: [tuple] }));
    context.until = 'never';
    context.deep.list.push(3);
    assert.deepEqual(await tuplesIn(store, zone), [wanted]);
  }),
];
