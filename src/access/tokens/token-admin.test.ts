import { describe, expect, it } from 'vitest';
import { openTestStore } from '../../../test/support/token-store.js';
import { openCredentials } from './credentials.js';
import { createTokenAdmin, type TokenAdminParts } from './token-admin.js';
import type { ChildTokenOptions } from './token-options.js';

const zone = 'local';
const start = Date.UTC(2026, 0, 15);
const day = 86_400_000;

function open(more: Partial<TokenAdminParts> = {}) {
  const { store, fail, heal } = openTestStore();
  let now = start;
  const service = createTokenAdmin({ store, zone, now: () => now, by: { principal: 'user:ana' }, ...more });
  const credentials = openCredentials({ store, zone, now: () => now });
  return {
    service,
    store,
    fail,
    heal,
    pass(ms: number) {
      now += ms;
    },
    resolve: async (secret: string) => credentials.resolve(`Bearer ${secret}`),
    audit: async () => [...(await store.audit({ zone, limit: 100 }))].reverse(),
  };
}

const coded = (code: string): unknown => expect.objectContaining({ name: 'IdentityError', code });

describe('creating a token', () => {
  it('returns its record and, once, its secret', async () => {
    const { service, resolve, store } = open();
    const made = await service.create({
      principal: 'agent:alice',
      profile: 'coding',
      tools: ['Read', 'x_*', 'Read', '!Bash'],
      label: 'Alice at work',
      expires: '30d',
    });
    expect(made.token).toEqual({
      id: made.token.id,
      zone,
      principal: 'agent:alice',
      profile: 'coding',
      tools: ['Read', 'x_*', '!Bash'],
      label: 'Alice at work',
      createdBy: 'user:ana',
      createdAt: start,
      expiresAt: start + 30 * day,
      state: 'active',
    });
    expect(made.revision).toBe((await store.head(zone)).revision);
    expect(await resolve(made.secret)).toMatchObject({ kind: 'caller' });
    const kept = JSON.stringify([
      await service.list(),
      await service.show(made.token.id),
      await store.tokens(zone),
    ]);
    expect(kept).not.toContain(made.secret);
    expect(JSON.stringify(await service.list())).not.toContain('hash');
  });

  it.each([
    ['token.bad_principal', { principal: 'alice' }],
    ['token.bad_principal', { principal: 'robot:alice' }],
    ['token.bad_principal', { principal: 'agent:' }],
    ['token.bad_principal', { principal: 'agent:a b' }],
    ['token.bad_principal', { principal: '' }],
    ['token.bad_profile', { principal: 'agent:a', profile: '' }],
    ['token.bad_profile', { principal: 'agent:a', profile: 'a b' }],
    ['token.bad_tools', { principal: 'agent:a', tools: [''] }],
    ['token.bad_tools', { principal: 'agent:a', tools: ['Read', 'a b'] }],
    [
      'token.bad_tools',
      { principal: 'agent:a', tools: Array.from({ length: 257 }, (_, n) => `t${String(n)}`) },
    ],
    ['token.bad_label', { principal: 'agent:a', label: '' }],
    ['token.bad_label', { principal: 'agent:a', label: 'a\nb' }],
    ['token.bad_label', { principal: 'agent:a', label: 'x'.repeat(201) }],
    ['token.bad_expiry', { principal: 'agent:a', expires: 'soon' }],
    ['token.bad_expiry', { principal: 'agent:a', expires: '2020-01-01' }],
  ])('is refused with %s, and creates nothing', async (code, options) => {
    const { service, store } = open();
    await expect(service.create(options)).rejects.toEqual(coded(code));
    expect(await store.tokens(zone)).toEqual([]);
  });

  it('checks profile names if they are given', async () => {
    const { service } = open({ profiles: ['coding'] });
    await expect(service.create({ principal: 'agent:a', profile: 'codign' })).rejects.toEqual(
      coded('token.bad_profile'),
    );
    await service.create({ principal: 'agent:a', profile: 'coding' });
  });

  it('does not repeat a secret typed in the wrong place', async () => {
    const { service } = open();
    const secret = `tgt_${'s'.repeat(43)}`;
    const wrong = [
      service.create({ principal: secret }),
      service.create({ principal: 'agent:a', profile: `${secret} ` }),
      service.create({ principal: 'agent:a', tools: [`${secret},`] }),
      service.create({ principal: 'agent:a', expires: secret }),
      service.show(secret),
      service.revoke(secret),
      service.attenuate(secret, {}),
    ];
    for (const refused of wrong) {
      await expect(refused).rejects.toSatisfy((error: Error) => !error.message.includes('sss'));
    }
  });
});

describe('a token', () => {
  it('is listed in order of creation, with its state', async () => {
    const { service, pass } = open();
    const first = await service.create({ principal: 'agent:a', expires: '1d' });
    const second = await service.create({ principal: 'agent:b' });
    const child = await service.attenuate(second.token.id, {});
    const grandchild = await service.attenuate(first.token.id, {});
    await service.revoke(second.token.id);
    pass(day);
    expect((await service.list()).map(({ id, state }) => [id, state])).toEqual([
      [first.token.id, 'expired'],
      [second.token.id, 'revoked'],
      [child.token.id, 'parent_void'],
      [grandchild.token.id, 'expired'],
    ]);
  });

  it('that does not exist or is in another zone is not found', async () => {
    const { service, store } = open();
    const elsewhere = createTokenAdmin({
      store,
      zone: 'other',
      now: () => start,
      by: { principal: 'user:eve' },
    });
    const { token, secret } = await elsewhere.create({ principal: 'agent:a' });
    await expect(service.attenuate(secret, {})).rejects.toEqual(coded('token.not_found'));
    for (const id of [token.id, 'tok_aaaaaaaaaaaa', '', 'nonsense']) {
      await expect(service.show(id)).rejects.toEqual(coded('token.not_found'));
      await expect(service.revoke(id)).rejects.toEqual(coded('token.not_found'));
      await expect(service.rotate(id)).rejects.toEqual(coded('token.not_found'));
      await expect(service.attenuate(id, {})).rejects.toEqual(coded('token.not_found'));
    }
    expect((await elsewhere.show(token.id)).state).toBe('active');
  });

  it('is revoked once; revoking it again is not an error', async () => {
    const { service, resolve } = open();
    const { token, secret } = await service.create({ principal: 'agent:a' });
    await service.attenuate(token.id, {});
    expect(await service.revoke(token.id)).toMatchObject({
      token: { state: 'revoked' },
      revision: 3,
      children: 1,
    });
    expect(await service.revoke(token.id)).not.toHaveProperty('revision');
    expect(await resolve(secret)).toMatchObject({ reason: 'token_revoked' });
  });

  it('is rotated: the same rights under a new secret, and the old one is void', async () => {
    const { service, resolve } = open();
    const options = {
      principal: 'agent:a',
      profile: 'coding',
      tools: ['Read'],
      label: 'mine',
      expires: '1d',
    };
    const old = await service.create(options);
    await service.attenuate(old.token.id, {});
    const made = await service.rotate(old.token.id);
    expect(made).toMatchObject({ replaced: old.token.id, children: 1 });
    const { id: _, ...same } = old.token;
    expect(made.token).toMatchObject(same);
    expect(made.token.id).not.toBe(old.token.id);
    expect(await resolve(made.secret)).toMatchObject({ kind: 'caller' });
    expect(await resolve(old.secret)).toMatchObject({ reason: 'token_revoked' });
    await expect(service.rotate(old.token.id)).rejects.toEqual(coded('token.revoked'));
  });

  it('that is rotated concurrently has one successor', async () => {
    const { service } = open();
    const { token } = await service.create({ principal: 'agent:alice' });
    const tries = await Promise.allSettled([1, 2, 3].map(() => service.rotate(token.id)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await service.list()).filter(({ state }) => state === 'active')).toHaveLength(1);
  });

  it('that is no longer valid cannot be rotated', async () => {
    const { service, pass } = open();
    const { token } = await service.create({ principal: 'agent:a', expires: '1h' });
    pass(day);
    await expect(service.rotate(token.id)).rejects.toEqual(coded('token.expired'));
  });

  it('is unchanged if its rotation fails halfway', async () => {
    const { store } = openTestStore();
    let isBroken = false;
    const fragile = new Proxy(store, {
      get(target, name: keyof typeof store) {
        if (name !== 'revokeToken' || !isBroken) return target[name];
        isBroken = false;
        return () => Promise.reject(new Error('the disk is full'));
      },
    });
    const service = createTokenAdmin({
      store: fragile,
      zone,
      now: () => start,
      by: { principal: 'user:ana' },
    });
    const { token } = await service.create({ principal: 'agent:a' });
    isBroken = true;
    await expect(service.rotate(token.id)).rejects.toThrow('disk');
    expect((await service.list()).map(({ state }) => state)).toEqual(['active', 'revoked']);
  });
});

describe('a derived token', () => {
  it('inherits the rights of its parent, limited by the given options', async () => {
    const { service, resolve } = open();
    const parent = await service.create({ principal: 'agent:a', profile: 'coding' });
    const options: ChildTokenOptions = {
      principal: 'agent:b',
      tools: ['Read'],
      label: 'child',
      inheritsActive: false,
    };
    const child = await service.attenuate(parent.secret, options);
    expect(child.token).toMatchObject({
      principal: 'agent:b',
      tools: ['Read'],
      parent: parent.token.id,
      inheritsActive: false,
      createdBy: 'agent:a',
    });
    expect(await resolve(child.secret)).toMatchObject({
      caller: {
        principal: { id: 'b' },
        chain: [
          { rights: 'own', profile: 'coding', tokenId: parent.token.id },
          { rights: 'inherited', tools: ['Read'], tokenId: child.token.id },
        ],
      },
    });
    const plain = await service.attenuate(parent.token.id, {});
    expect(plain.token).toMatchObject({ principal: 'agent:a', inheritsActive: true, createdBy: 'user:ana' });
  });

  it('never expires later than its parent', async () => {
    const { service } = open();
    const parent = await service.create({ principal: 'agent:a', expires: '2d' });
    const end = async (options: ChildTokenOptions) =>
      (await service.attenuate(parent.secret, options)).token.expiresAt;
    expect(await end({})).toBe(start + 2 * day);
    expect(await end({ expires: '30d' })).toBe(start + 2 * day);
    expect(await end({ expires: '1d' })).toBe(start + day);
    const endless = await service.create({ principal: 'agent:a' });
    expect((await service.attenuate(endless.secret, {})).token.expiresAt).toBeUndefined();
  });

  it('cannot be derived from a void one', async () => {
    const { service, pass } = open();
    const brief = await service.create({ principal: 'agent:a', expires: '1d' });
    const gone = await service.create({ principal: 'agent:a' });
    const child = await service.attenuate(gone.secret, {});
    await service.revoke(gone.token.id);
    await expect(service.attenuate(gone.secret, {})).rejects.toEqual(coded('token.revoked'));
    await expect(service.attenuate(child.secret, {})).rejects.toEqual(coded('token.parent_void'));
    pass(day);
    await expect(service.attenuate(brief.secret, {})).rejects.toEqual(coded('token.expired'));
  });

  it('can be at most the eighth in a chain', async () => {
    const { service, resolve } = open();
    let { secret } = await service.create({ principal: 'agent:a' });
    for (let delegation = 2; delegation <= 8; delegation += 1)
      ({ secret } = await service.attenuate(secret, {}));
    expect(await resolve(secret)).toMatchObject({ kind: 'caller' });
    await expect(service.attenuate(secret, {})).rejects.toEqual(coded('token.too_deep'));
  });
});

describe('the audit log', () => {
  it('records who did what to which token, without secrets and hashes', async () => {
    const { service, audit, store } = open({
      by: { principal: 'user:ana', tokenId: 'tok_mine', requestId: 'r1' },
    });
    const one = await service.create({ principal: 'agent:a', profile: 'coding', expires: '1d' });
    const two = await service.rotate(one.token.id);
    const three = await service.attenuate(two.secret, { tools: ['Read'] });
    await service.revoke(three.token.id);
    const rows = await audit();
    expect(
      rows.map(({ action, principal, target, tokenId }) => [action, principal, target, tokenId]),
    ).toEqual([
      ['token.create', 'user:ana', one.token.id, 'tok_mine'],
      ['token.rotate', 'user:ana', two.token.id, 'tok_mine'],
      ['token.rotate', 'user:ana', one.token.id, 'tok_mine'],
      ['token.attenuate', 'agent:a', three.token.id, two.token.id],
      ['token.revoke', 'user:ana', three.token.id, 'tok_mine'],
    ]);
    expect(rows[0]).toMatchObject({
      decision: 'allow',
      requestId: 'r1',
      detail: { principal: 'agent:a', profile: 'coding', expiresAt: '2026-01-16T00:00:00.000Z' },
    });
    const text = JSON.stringify(rows);
    for (const { secret } of [one, two, three]) expect(text).not.toContain(secret.slice(4));
    for (const { hash } of await store.tokens(zone)) expect(text).not.toContain(hash);
  });
});
