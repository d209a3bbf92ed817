import assert from 'node:assert/strict';
import type { GrantChanges, GrantTuple } from '../../access/ports/index.js';
import { changesIn, historyOf, storeCase, tokenOf, recordOf, tupleOf, tuplesIn, writeOf } from './case.js';

type State = ReadonlyMap<string, GrantTuple>;

export const changeCases = [
  storeCase(
    'the changes since any revision lead to the current state of the zone',
    async ({ zone, open }) => {
      const store = await open();
      const history: State[] = [new Map()];
      const ids = [''];
      for (let round = 0; round < 60; round += 1) {
        const { revision } = await store.write(writeOf(zone, randomChange(round)));
        history[revision] = stateOf(await tuplesIn(store, zone));
        ids[revision] = await historyOf(store, zone);
      }
      const now = (await store.head(zone)).revision;
      assert.equal(history.length, now + 1);
      for (const [from, before] of history.entries()) {
        const answer = await store.changes(zone, ids[from]);
        assert.equal(answer.head.revision, now);
        assert.equal(answer.kind, 'changes');
        assert.deepEqual(follow(before, answer), history[now], `from revision ${from}`);
      }
    },
  ),

  storeCase('concurrent writes have the same result as sequential writes', async ({ zone, open }) => {
    const store = await open();
    const requests = Array.from({ length: 80 }, (_, round) => round);
    const written = await Promise.all(
      requests.map((round) => {
        const record = recordOf(zone, { principal: `user:${round}`, requestId: String(round) });
        return store.write({ ...writeOf(zone, randomChange(round)), record });
      }),
    );
    const moved = written.filter(({ added, removed }) => added.length + removed.length > 0);
    const revisions = moved.map(({ revision }) => revision).sort((a, b) => a - b);
    assert.deepEqual(
      revisions,
      revisions.map((_, place) => place + 1),
    );
    // The reported changes, in revision order, must lead to the current state.
    const state = new Map<string, GrantTuple>();
    for (const { added, removed } of moved.toSorted((a, b) => a.revision - b.revision)) {
      for (const tuple of removed) assert.ok(state.delete(nameOf(tuple)));
      for (const tuple of added) state.set(nameOf(tuple), tuple);
    }
    const all = await tuplesIn(store, zone);
    assert.deepEqual(new Map(all.map((tuple) => [nameOf(tuple), tuple])), state);
    assert.deepEqual(follow(new Map(), await store.changes(zone, '')), stateOf(all));
    const records = await store.audit({ zone, limit: 100 });
    for (const [round, { revision }] of written.entries()) {
      const own = records.find(({ requestId }) => requestId === String(round));
      assert.deepEqual([own?.revision, own?.principal], [revision, `user:${round}`]);
    }
    for (const { createdBy, revision } of await store.grants(zone))
      assert.equal(written[Number(createdBy.slice('user:'.length))]?.revision, revision);
  }),

  storeCase(
    'without a revision, or with one from another history, all tuples are returned',
    async ({ zone, open }) => {
      const store = await open();
      const tuple = tupleOf('principal:user/a', 'caller', 'tool:a');
      await store.write(writeOf(zone, { add: [tuple] }));
      for (const from of [undefined, 'elsewhere', '1'])
        assert.deepEqual(await changesIn(store, zone, from), { kind: 'all', revision: 1, tuples: [tuple] });
      const now = await historyOf(store, zone);
      assert.deepEqual(await changesIn(store, zone, now), { kind: 'changes', revision: 1, changes: [] });
      assert.deepEqual(await changesIn(store, zone, ''), {
        kind: 'changes',
        revision: 1,
        changes: [{ kind: 'add', tuple }],
      });
    },
  ),

  storeCase('a change of tokens increases the revision and changes no tuple', async ({ zone, open }) => {
    const store = await open();
    const token = tokenOf(zone);
    assert.equal(await store.addToken(token, recordOf(zone)), 1);
    assert.deepEqual(await changesIn(store, zone, ''), { kind: 'changes', revision: 1, changes: [] });
    const made = await historyOf(store, zone);
    assert.equal(await store.revokeToken(zone, token.id, 5, recordOf(zone)), 2);
    assert.equal((await store.head(zone)).revision, 2);
    assert.deepEqual(await changesIn(store, zone, made), { kind: 'changes', revision: 2, changes: [] });
  }),

  storeCase('every revision has a unique id, and every zone an origin', async ({ zone, open }) => {
    const [store, other] = [await open(), await open()];
    const seen: string[] = [];
    const origins = new Set<string>();
    for (let round = 0; round < 20; round += 1) {
      if (round % 3 === 2) await store.addToken(tokenOf(zone), recordOf(zone));
      else
        await store.write(writeOf(zone, { add: [tupleOf('principal:user/a', 'caller', `tool:${round}`)] }));
      const head = await other.head(zone);
      assert.equal(head.revision, round + 1);
      seen.push(head.history);
      origins.add(head.origin);
      await store.write(writeOf(zone, {}));
      assert.deepEqual(await store.head(zone), head);
    }
    assert.equal(new Set(seen).size, 20);
    assert.equal(origins.size, 1);
    await store.write(writeOf(`${zone}-other`, { add: [tupleOf('principal:user/a', 'caller', 'tool:a')] }));
    assert.ok(!origins.has((await store.head(`${zone}-other`)).origin));
  }),

  storeCase('a token is created or revoked only in the expected state', async ({ zone, open }) => {
    const store = await open();
    const token = tokenOf(zone);
    await store.addToken(token, recordOf(zone), '');
    const conflict = { name: 'StoreError', code: 'store.conflict' };
    await assert.rejects(store.addToken(tokenOf(zone), recordOf(zone), ''), conflict);
    await assert.rejects(store.revokeToken(zone, token.id, 5, recordOf(zone), ''), conflict);
    assert.equal((await store.head(zone)).revision, 1);
    const now = await historyOf(store, zone);
    assert.equal(await store.revokeToken(zone, token.id, 5, recordOf(zone), now), 2);
  }),

  storeCase('the change log is limited; a reader too far behind gets all tuples', async ({ zone, open }) => {
    const store = await open();
    // Twice the length of the log, and one write longer than the log.
    const lists = [...Array.from({ length: 24 }, () => 1000), 12_000, 10];
    const state = new Map<string, GrantTuple>();
    const ids = [''];
    for (const [write, length] of lists.entries()) {
      const add = Array.from({ length }, (_, place) =>
        tupleOf(`principal:user/${place}`, 'caller', `tool:${write}`),
      );
      const removeMatching = [{ object: `tool:${write - 1}` }];
      await store.write(writeOf(zone, { add, removeMatching }));
      ids.push(await historyOf(store, zone));
      for (const tuple of add) state.set(JSON.stringify(tuple), tuple);
      for (const [name, { object }] of state) if (object === `tool:${write - 1}`) state.delete(name);
    }
    const now = (await store.head(zone)).revision;
    assert.equal(now, lists.length);
    const kinds = new Set<string>();
    for (let from = 0; from <= now; from += 1) {
      const answer = await store.changes(zone, ids[from]);
      kinds.add(answer.kind);
      if (answer.kind === 'all') assert.deepEqual(stateOf(answer.tuples), stateOf([...state.values()]));
      else assert.ok(answer.changes.length < 30_000);
    }
    assert.deepEqual(kinds, new Set(['all', 'changes']));
    assert.equal((await store.changes(zone, '')).kind, 'all');
    assert.equal((await store.changes(zone, ids[now])).kind, 'changes');
  }),
];

function randomChange(round: number) {
  const tuple = (): GrantTuple => {
    const plain = tupleOf(
      `principal:user/${dice(3)}`,
      ['caller', 'seer'][dice(2)] ?? 'caller',
      `tool:${dice(4)}`,
    );
    return dice(3) === 0 ? { ...plain, condition: { name: 'c', context: { n: dice(3) } } } : plain;
  };
  const some = (most: number): GrantTuple[] => Array.from({ length: dice(most + 1) }, tuple);
  const removeMatching = round % 7 === 6 ? [{ user: `principal:user/${dice(3)}` }] : [];
  return { add: some(3), remove: some(2), removeMatching };
}

function dice(sides: number): number {
  return Math.floor(Math.random() * sides);
}

function stateOf(tuples: readonly GrantTuple[]): State {
  const sorted = tuples.map((tuple): [string, GrantTuple] => [nameOf(tuple), tuple]);
  return new Map(sorted.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function follow(before: State, answer: GrantChanges): State {
  if (answer.kind === 'all') return stateOf(answer.tuples);
  const state = new Map(before);
  for (const { kind, tuple } of answer.changes) {
    if (kind === 'add') state.set(nameOf(tuple), tuple);
    else assert.ok(state.delete(nameOf(tuple)), 'a removed tuple existed before');
  }
  return stateOf([...state.values()]);
}

function nameOf({ user, relation, object }: Pick<GrantTuple, 'user' | 'relation' | 'object'>): string {
  return JSON.stringify([user, relation, object]);
}
