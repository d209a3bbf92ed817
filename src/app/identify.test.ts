import { describe, expect, it } from 'vitest';
import { openTestStore } from '../../test/support/token-store.js';
import { createTokenAdmin, openCredentials } from '../access/tokens/index.js';
import type { Caller } from '../core/index.js';
import { createCredentialWatch, createIdentify } from './identify.js';

const ana = { kind: 'user', id: 'ana', zone: 'local' } as const;
const operator: Caller = {
  principal: ana,
  chain: [{ principal: ana, rights: 'all' }],
  credential: 'operator',
};

async function open(auth: 'token' | 'none', answers: 'at once' | 'late' = 'at once') {
  const { store, asked, fail } = openTestStore(answers);
  const now = (): number => 0;
  const adminApi = createTokenAdmin({ store, zone: 'local', now, by: { principal: 'user:ana' } });
  const credentials = openCredentials({ store, zone: 'local', now });
  const isOperator = (authorization: string | undefined): boolean => authorization === 'Bearer tg_mine';
  const bound = (caller: Caller): Caller => ({ ...caller, chain: [...operator.chain, ...caller.chain] });
  const parts = { auth: () => auth, isOperator, operator, bound };
  const { secret, token } = await adminApi.create({ principal: 'agent:alice' });
  asked();
  return {
    identify: createIdentify({ ...parts, credentials: () => credentials }),
    later: createIdentify({ ...parts, credentials: () => Promise.resolve(credentials) }),
    never: createIdentify({ ...parts, credentials: () => Promise.reject(new Error('away')) }),
    watch: createCredentialWatch(
      () => credentials,
      (listener) => credentials.onChange(listener),
    ),
    client: `Bearer ${secret}`,
    id: token.id,
    revoke: () => adminApi.revoke(token.id),
    asked,
    fail,
  };
}

describe('the caller', () => {
  it('is the operator with the operator token, immediately and without a store', async () => {
    const { identify, never, asked, fail } = await open('token');
    fail();
    expect(identify('Bearer tg_mine')).toBe(operator);
    expect(never('Bearer tg_mine')).toBe(operator);
    expect(asked()).toEqual([]);
  });

  it.each(['at once', 'late'] as const)(
    'is the client that the token belongs to, which is known %s',
    async (answers) => {
      const { identify, client, id } = await open('token', answers);
      const found = identify(client);
      expect(found instanceof Promise).toBe(answers === 'late');
      expect(await found).toMatchObject({
        principal: { id: 'alice' },
        // Limited by the profile the gateway was started with.
        chain: [{ rights: 'all' }, { rights: 'own', tokenId: id }],
        credential: `token:${id}`,
      });
    },
  );

  it('is refused otherwise, with a reason for the operator', async () => {
    const { identify, never, later, client, revoke, id } = await open('token');
    expect(identify(undefined)).toEqual({ refused: 'no_identity' });
    expect(identify('Basic abc')).toEqual({ refused: 'token_malformed' });
    expect(identify('Bearer tg_other')).toEqual({ refused: 'token_malformed' });
    expect(never('Bearer tg_other')).toEqual({ refused: 'token_malformed' });
    await expect(never(client)).rejects.toThrow('away');
    expect(await later(client)).toMatchObject({ principal: { id: 'alice' } });
    await revoke();
    expect(identify(client)).toEqual({ refused: 'token_revoked', tokenId: id });
  });

  it('is unknown while the store is unavailable', async () => {
    const { identify, client, fail } = await open('token');
    fail();
    expect(() => identify(client)).toThrow('away');
  });
});

describe('a gateway without authentication', () => {
  it('treats callers without a client token as the operator', async () => {
    const { identify } = await open('none');
    for (const authorization of [undefined, '', 'Basic abc', 'Bearer tg_old']) {
      expect(identify(authorization)).toBe(operator);
    }
  });

  it('never treats a client with a token as the operator, even if the token was revoked', async () => {
    const { identify, client, revoke } = await open('none');
    expect(identify(client)).toMatchObject({ principal: { id: 'alice' } });
    await revoke();
    expect(identify(client)).toMatchObject({ refused: 'token_revoked' });
    const secret = client.replace('Bearer ', '');
    for (const spelt of [secret, `Token ${secret}`, `Bearer\t"${secret}"`, `${client}, ${client}`])
      expect(identify(spelt)).toHaveProperty('refused');
  });
});

describe('credential status', () => {
  it('follows the token; the operator’s is always valid', async () => {
    const { identify, watch, client, id, revoke } = await open('token');
    await identify(client);
    let told = 0;
    watch.onChange(() => (told += 1));
    expect([watch.isAlive('operator'), watch.isAlive(`token:${id}`)]).toEqual([true, true]);
    await revoke();
    expect([watch.isAlive('operator'), watch.isAlive(`token:${id}`)]).toEqual([true, false]);
    expect(told).toBe(1);
    const before = createCredentialWatch(
      () => undefined,
      () => () => undefined,
    );
    expect(before.isAlive(`token:${id}`)).toBe(false);
  });
});
