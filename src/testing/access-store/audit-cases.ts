import assert from 'node:assert/strict';
import type { AuditRecord, StoredAudit } from '../../access/ports/index.js';
import { recordOf, storeCase, tokenOf, tupleOf } from './case.js';

export const auditCases = [
  storeCase('a change and its record are stored together, with the revision', async ({ zone, open }) => {
    const store = await open();
    const tuple = tupleOf('principal:user/a', 'caller', 'tool:a');
    const record = recordOf(zone, { target: 'tool:a', detail: { added: [tuple] } });
    await store.write({ zone, add: [tuple], record });
    await store.write({ zone, add: [tuple], record: { ...record, reason: 'again', revision: 99 } });
    await store.addToken(tokenOf(zone), recordOf(zone, { action: 'token.create' }));
    const kept = await store.audit({ zone, limit: 10 });
    assert.deepEqual(withoutSeq(kept), [
      recordOf(zone, { action: 'token.create', revision: 2 }),
      { ...record, reason: 'again', revision: 1 },
      { ...record, revision: 1 },
    ]);
  }),

  storeCase('records are returned complete, newest first', async ({ zone, open }) => {
    const store = await open();
    const full: AuditRecord = {
      ...recordOf(zone, { action: 'call', decision: 'deny', principal: 'agent:alice' }),
      chain: ['user:ana', 'agent:alice'],
      tokenId: 't1',
      target: 'find_é😀\n',
      reason: 'no_grant',
      outcome: 'ok',
      requestId: '17',
      traceId: 'ab',
      sessionId: 's',
      revision: 12,
      model: 'm1',
      ms: 1.25,
      detail: { nested: { list: [1, 'two', null] } },
    };
    const minimal = recordOf(zone, { at: 1 });
    await store.appendAudit([minimal, full]);
    await store.appendAudit([]);
    await store.appendAudit([recordOf(`${zone}-other`)]);
    const kept = await store.audit({ zone, limit: 10 });
    assert.deepEqual(withoutSeq(kept), [full, minimal]);
    assert.ok((kept[0]?.seq ?? 0) > (kept[1]?.seq ?? 0));
  }),

  storeCase('every field of a filter must match, and pages follow each other', async ({ zone, open }) => {
    const store = await open();
    const records = Array.from({ length: 24 }, (_, place) =>
      recordOf(zone, {
        principal: place % 2 === 0 ? 'agent:alice' : 'agent:bob',
        decision: place % 3 === 0 ? 'deny' : 'allow',
        action: place % 4 === 0 ? 'call' : 'read',
        requestId: String(place),
      }),
    );
    await store.appendAudit(records);
    const numbers = (kept: readonly StoredAudit[]): number[] =>
      kept.map(({ requestId }) => Number(requestId));
    const found = async (filter: object): Promise<number[]> =>
      numbers(await store.audit({ zone, limit: 100, ...filter }));
    const wanted = (fits: (place: number) => boolean): number[] => [...records.keys()].filter(fits).reverse();
    assert.deepEqual(
      await found({}),
      wanted(() => true),
    );
    assert.deepEqual(
      await found({ principal: 'agent:bob' }),
      wanted((place) => place % 2 === 1),
    );
    assert.deepEqual(
      await found({ decision: 'deny' }),
      wanted((place) => place % 3 === 0),
    );
    assert.deepEqual(
      await found({ action: 'call' }),
      wanted((place) => place % 4 === 0),
    );
    assert.deepEqual(
      await found({ principal: 'agent:alice', decision: 'deny', action: 'call' }),
      wanted((place) => place % 12 === 0),
    );
    assert.deepEqual(await found({ principal: 'agent:nobody' }), []);
    assert.deepEqual(await found({ limit: 0 }), []);
    const pages: number[] = [];
    for (let before: number | undefined; ; ) {
      const page = await store.audit({ zone, limit: 5, ...(before === undefined ? {} : { before }) });
      if (page.length === 0) break;
      pages.push(...numbers(page));
      before = page.at(-1)?.seq;
    }
    assert.deepEqual(
      pages,
      wanted(() => true),
    );
  }),

  storeCase('late records are sorted by their time', async ({ zone, open }) => {
    const store = await open();
    const at = (time: number): AuditRecord => recordOf(zone, { at: time, requestId: String(time) });
    await store.appendAudit([at(30), at(50)]);
    await store.appendAudit([at(40), at(10), at(20)]);
    await store.appendAudit([{ ...at(40), requestId: '40 again' }]);
    const wanted = ['50', '40 again', '40', '30', '20', '10'];
    const ids = (kept: readonly StoredAudit[]): readonly (string | undefined)[] =>
      kept.map(({ requestId }) => requestId);
    assert.deepEqual(ids(await store.audit({ zone, limit: 10 })), wanted);
    const pages: (string | undefined)[] = [];
    for (let before: number | undefined; ; ) {
      const page = await store.audit({ zone, limit: 1, ...(before === undefined ? {} : { before }) });
      if (page.length === 0) break;
      pages.push(...ids(page));
      before = page.at(-1)?.seq;
    }
    assert.deepEqual(pages, wanted);
  }),

  storeCase('old records are removed in batches, oldest first', async ({ zone, open }) => {
    const store = await open();
    const times = [5, 1, 4, 2, 3];
    await store.appendAudit(times.map((at) => recordOf(zone, { at })));
    await store.appendAudit([recordOf(`${zone}-other`, { at: 1 })]);
    assert.equal(await store.countAudit(zone, 4), 3);
    assert.equal(await store.pruneAudit(zone, 4, 0), 0);
    assert.equal(await store.pruneAudit(zone, 4, 2), 2);
    const left = async (of: string): Promise<readonly number[]> =>
      (await store.audit({ zone: of, limit: 10 })).map(({ at }) => at);
    assert.deepEqual(await left(zone), [5, 4, 3]);
    assert.equal(await store.pruneAudit(zone, 4, 100), 1);
    assert.equal(await store.pruneAudit(zone, 4, 100), 0);
    assert.deepEqual(await left(zone), [5, 4]);
    assert.deepEqual(await left(`${zone}-other`), [1]);
    const [first] = await store.audit({ zone, limit: 1 });
    await store.pruneAudit(zone, 100, 100);
    assert.deepEqual(await store.audit({ zone, limit: 10, before: first?.seq ?? 0 }), []);
  }),

  storeCase(
    'any text from an agent is kept in a record, even if no column can hold it',
    async ({ zone, open }) => {
      const store = await open();
      const odd = recordOf(zone, {
        action: 'call\0',
        principal: 'agent:\ud800',
        target: 'a\0b\ud800',
        reason: "'; drop table audit",
      });
      const large = recordOf(zone, { target: 'x'.repeat(100_000) });
      await store.appendAudit([odd, large]);
      assert.deepEqual(
        withoutSeq(await store.audit({ zone, principal: 'agent:\ud800', action: 'call\0', limit: 10 })),
        [odd],
      );
      assert.deepEqual(withoutSeq(await store.audit({ zone, limit: 10 })), [large, odd]);
    },
  ),
];

function withoutSeq(kept: readonly StoredAudit[]): readonly AuditRecord[] {
  return kept.map(({ seq, ...record }) => {
    assert.ok(Number.isSafeInteger(seq));
    return record;
  });
}
