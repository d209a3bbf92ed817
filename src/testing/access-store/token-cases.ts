import assert from 'node:assert/strict';
import type { TokenRecord } from '../../access/ports/index.js';
import { recordOf, storeCase, tokenOf } from './case.js';

export const tokenCases = [
  storeCase(
    'a token is returned complete, by hash, by id and in order of creation',
    async ({ zone, open }) => {
      const store = await open();
      const plain = tokenOf(zone);
      const full: TokenRecord = {
        ...tokenOf(zone),
        label: 'nightly 😀 "build"\n',
        profile: 'coding',
        tools: ['find_*', 'Read'],
        parent: plain.id,
        inheritsActive: false,
        expiresAt: 1_900_000_000_000,
      };
      const early = tokenOf(zone, { createdAt: 1 });
      assert.equal(await store.addToken(plain, recordOf(zone)), 1);
      assert.equal(await store.addToken(full, recordOf(zone)), 2);
      assert.equal(await store.addToken(early, recordOf(zone)), 3);
      assert.deepEqual(await store.tokens(zone), [plain, full, early]);
      assert.deepEqual(await store.findToken(full.hash), full);
      assert.deepEqual(await store.token(full.id), full);
      assert.equal(await store.token(full.hash), undefined);
      assert.equal(await store.findToken(full.id), undefined);
      assert.equal(await store.findToken(full.hash.slice(0, -1)), undefined);
      assert.deepEqual(await store.tokens(`${zone}-other`), []);
    },
  ),

  storeCase('a duplicate token id or hash is rejected', async ({ zone, open }) => {
    const store = await open();
    const token = tokenOf(zone);
    await store.addToken(token, recordOf(zone));
    const others = [token, tokenOf(zone, { id: token.id }), tokenOf(`${zone}-other`, { hash: token.hash })];
    for (const other of others)
      await assert.rejects(store.addToken(other, recordOf(zone)), {
        name: 'StoreError',
        code: 'store.conflict',
      });
    assert.equal((await store.head(zone)).revision, 1);
    assert.deepEqual(await store.tokens(zone), [token]);
    assert.equal((await store.audit({ zone, limit: 10 })).length, 1);
  }),

  storeCase('a token is revoked once, and only in its own zone', async ({ zone, open }) => {
    const store = await open();
    const token = tokenOf(zone);
    await store.addToken(token, recordOf(zone));
    const record = recordOf(zone, { action: 'token.revoke' });
    assert.equal(await store.revokeToken(`${zone}-other`, token.id, 7, record), undefined);
    assert.equal(await store.revokeToken(zone, 'nobody', 7, record), undefined);
    assert.equal(await store.revokeToken(zone, token.id, 7, record), 2);
    assert.equal(await store.revokeToken(zone, token.id, 8, record), undefined);
    assert.deepEqual(await store.findToken(token.hash), { ...token, revokedAt: 7 });
    assert.equal((await store.head(zone)).revision, 2);
    const [revoked, ...earlier] = await store.audit({ zone, limit: 10 });
    assert.deepEqual([revoked?.action, revoked?.revision, earlier.length], ['token.revoke', 2, 1]);
  }),

  storeCase('the last use of a token is stored without a new revision', async ({ zone, open }) => {
    const store = await open();
    const [one, other] = [tokenOf(zone), tokenOf(zone)];
    await store.addToken(one, recordOf(zone));
    await store.addToken(other, recordOf(zone));
    const uses = [
      { id: one.id, at: 20 },
      { id: one.id, at: 10 },
      { id: 'nobody', at: 30 },
    ];
    await store.touchTokens(uses);
    await store.touchTokens([]);
    assert.deepEqual(await store.tokens(zone), [{ ...one, lastUsedAt: 20 }, other]);
    assert.equal((await store.head(zone)).revision, 2);
  }),
];
