import { describe, expect, it } from 'vitest';
import { openTestStore } from '../../../test/support/token-store.js';
import type { Caller } from '../../core/index.js';
import { createTokenOperations } from './token-operations.js';

const ana = { kind: 'user', id: 'ana', zone: 'local' } as const;
const by: Caller = { principal: ana, chain: [{ principal: ana, rights: 'all' }], credential: 'operator' };

function open() {
  const { store, fail } = openTestStore();
  const operations = createTokenOperations({
    store: () => Promise.resolve(store),
    zone: 'local',
    now: () => Date.UTC(2026, 0, 1),
    profiles: () => ['coding'],
  });
  const order = { by, requestId: 'r1', parameter: '', query: {}, body: {}, isStillAdmin: () => true };
  return {
    store,
    fail,
    create: (body: Readonly<Record<string, unknown>>) => operations.createToken({ ...order, body }),
    list: () => operations.tokens(order),
    revoke: (parameter: string) => operations.revokeToken({ ...order, parameter }),
  };
}

describe('tokens over the admin API', () => {
  it('are created, listed and revoked; only the first response contains the secret', async () => {
    const { create, list, revoke, store } = open();
    const made = await create({ principal: 'agent:a', profile: 'coding', tools: ['Read'], expires: '30d' });
    expect(made).toMatchObject({
      value: {
        token: { principal: 'agent:a', expiresAt: '2026-01-31T00:00:00.000Z', state: 'active' },
        secret: expect.stringMatching(/^tgt_/),
        revision: 1,
      },
    });
    const { id } = (made as { value: { token: { id: string } } }).value.token;
    expect(JSON.stringify(await list())).not.toMatch(/tgt_|hash/);
    expect(await list()).toMatchObject({
      value: { tokens: [{ id, createdAt: '2026-01-01T00:00:00.000Z' }] },
    });
    expect(await revoke(id)).toMatchObject({
      value: { token: { state: 'revoked' }, revision: 2, children: 0 },
    });
    expect(await revoke(id)).not.toHaveProperty('value.revision');
    expect(await store.audit({ zone: 'local', limit: 9 })).toMatchObject([
      { action: 'token.revoke', principal: 'user:ana', chain: ['user:ana'], requestId: 'r1' },
      { action: 'token.create' },
    ]);
  });

  it('are derived from a parent if one is given', async () => {
    const { create } = open();
    const made = (await create({ principal: 'agent:a' })) as { value: { token: { id: string } } };
    const parent = made.value.token.id;
    expect(await create({ parent, tools: ['Read'], inheritsActive: false })).toMatchObject({
      value: { token: { parent, principal: 'agent:a', inheritsActive: false } },
    });
  });

  it.each([
    [400, 'input.invalid', {}],
    [400, 'input.invalid', { principal: 5 }],
    [400, 'input.invalid', { principal: 'agent:a', tools: 'Read' }],
    [400, 'input.invalid', { principal: 'agent:a', tools: [1] }],
    [400, 'input.invalid', { principal: 'agent:a', inheritsActive: 'no' }],
    [400, 'input.invalid', { principal: 'agent:a', admin: true }],
    [400, 'token.bad_principal', { principal: 'a' }],
    [400, 'token.bad_profile', { principal: 'agent:a', profile: 'codign' }],
    [400, 'token.bad_expiry', { principal: 'agent:a', expires: 'never' }],
    [404, 'token.not_found', { parent: 'tok_aaaaaaaaaaaa' }],
  ])('are refused with %i %s', async (status, code, body) => {
    const { create, store } = open();
    expect(await create(body)).toMatchObject({ refused: { status, code } });
    expect(await store.tokens('local')).toEqual([]);
  });

  it('cannot be derived from revoked or expired tokens', async () => {
    const { create, revoke } = open();
    const made = (await create({ principal: 'agent:a' })) as { value: { token: { id: string } } };
    const parent = made.value.token.id;
    await revoke(parent);
    expect(await create({ parent })).toMatchObject({ refused: { status: 409, code: 'token.revoked' } });
  });

  it('fail if the store is unavailable', async () => {
    const { list, fail } = open();
    fail();
    await expect(list()).rejects.toMatchObject({ code: 'store.unavailable' });
  });
});
