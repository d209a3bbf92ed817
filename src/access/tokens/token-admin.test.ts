import { describe, expect, it } from 'vitest';
import { openTestStore } from '../../../test/support/token-store.js';
import { openCredentials } from './credentials.js';
import { createTokenDesk, type TokenDeskParts } from './token-admin.js';
import type { ChildTokenWish } from './token-options.js';

const zone = 'local';
const start = Date.UTC(2026, 0, 15);
const day = 86_400_000;

function open(more: Partial<TokenDeskParts> = {}) {
  const { store, fail, heal } = openTestStore();
  let now = start;
  const desk = createTokenDesk({ store, zone, now: () => now, by: { principal: 'user:ana' }, ...more });
  const credentials = openCredentials({ store, zone, now: () => now });
  return {
    desk,
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

describe('making a token', () => {
  it('gives its record and, once, its secret', async () => {
    const { desk, resolve, store } = open();
    const made = await desk.create({
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
      await desk.list(),
      await desk.show(made.token.id),
      await store.tokens(zone),
    ]);
    expect(kept).not.toContain(made.secret);
    expect(JSON.stringify(await desk.list())).not.toContain('hash');
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
  ])('refuses with %s, and makes nothing', async (code, wish) => {
    const { desk, store } = open();
    await expect(desk.create(wish)).rejects.toEqual(coded(code));
    expect(await store.tokens(zone)).toEqual([]);
  });

  it('checks profile names if they are given', async () => {
    const { desk } = open({ profiles: ['coding'] });
    await expect(desk.create({ principal: 'agent:a', profile: 'codign' })).rejects.toEqual(
      coded('token.bad_profile'),
    );
    await desk.create({ principal: 'agent:a', profile: 'coding' });
  });

  it('does not repeat a secret typed in the wrong place', async () => {
    const { desk } = open();
    const secret = `tgt_${'s'.repeat(43)}`;
    const wrong = [
      desk.create({ principal: secret }),
      desk.create({ principal: 'agent:a', profile: `${secret} ` }),
      desk.create({ principal: 'agent:a', tools: [`${secret},`] }),
      desk.create({ principal: 'agent:a', expires: secret }),
      desk.show(secret),
      desk.revoke(secret),
      desk.attenuate(secret, {}),
    ];
    for (const refused of wrong) {
      await expect(refused).rejects.toSatisfy((error: Error) => !error.message.includes('sss'));
    }
  });
});

describe('a token', () => {
  it('is listed in order of creation, with its state', async () => {
    const { desk, pass } = open();
    const first = await desk.create({ principal: 'agent:a', expires: '1d' });
    const second = await desk.create({ principal: 'agent:b' });
    const child = await desk.attenuate(second.token.id, {});
    const grandchild = await desk.attenuate(first.token.id, {});
    await desk.revoke(second.token.id);
    pass(day);
    expect((await desk.list()).map(({ id, state }) => [id, state])).toEqual([
      [first.token.id, 'expired'],
      [second.token.id, 'revoked'],
      [child.token.id, 'parent_void'],
      [grandchild.token.id, 'expired'],
    ]);
  });

  it('that is not there, or in another zone, is not found', async () => {
    const { desk, store } = open();
    const elsewhere = createTokenDesk({
      store,
      zone: 'other',
      now: () => start,
      by: { principal: 'user:eve' },
    });
    const { token, secret } = await elsewhere.create({ principal: 'agent:a' });
    await expect(desk.attenuate(secret, {})).rejects.toEqual(coded('token.not_found'));
    for (const id of [token.id, 'tok_aaaaaaaaaaaa', '', 'nonsense']) {
      await expect(desk.show(id)).rejects.toEqual(coded('token.not_found'));
      await expect(desk.revoke(id)).rejects.toEqual(coded('token.not_found'));
      await expect(desk.rotate(id)).rejects.toEqual(coded('token.not_found'));
      await expect(desk.attenuate(id, {})).rejects.toEqual(coded('token.not_found'));
    }
    expect((await elsewhere.show(token.id)).state).toBe('active');
  });

  it('is revoked once; again is no mistake', async () => {
    const { desk, resolve } = open();
    const { token, secret } = await desk.create({ principal: 'agent:a' });
    await desk.attenuate(token.id, {});
    expect(await desk.revoke(token.id)).toMatchObject({
      token: { state: 'revoked' },
      revision: 3,
      children: 1,
    });
    expect(await desk.revoke(token.id)).not.toHaveProperty('revision');
    expect(await resolve(secret)).toMatchObject({ reason: 'token_revoked' });
  });

  it('is rotated: the same rights under a new secret, and the old one is void', async () => {
    const { desk, resolve } = open();
    const wish = { principal: 'agent:a', profile: 'coding', tools: ['Read'], label: 'mine', expires: '1d' };
    const old = await desk.create(wish);
    await desk.attenuate(old.token.id, {});
    const made = await desk.rotate(old.token.id);
    expect(made).toMatchObject({ replaced: old.token.id, children: 1 });
    const { id: _, ...same } = old.token;
    expect(made.token).toMatchObject(same);
    expect(made.token.id).not.toBe(old.token.id);
    expect(await resolve(made.secret)).toMatchObject({ kind: 'caller' });
    expect(await resolve(old.secret)).toMatchObject({ reason: 'token_revoked' });
    await expect(desk.rotate(old.token.id)).rejects.toEqual(coded('token.revoked'));
  });

  it('that is rotated by several at once has one successor', async () => {
    const { desk } = open();
    const { token } = await desk.create({ principal: 'agent:alice' });
    const tries = await Promise.allSettled([1, 2, 3].map(() => desk.rotate(token.id)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await desk.list()).filter(({ state }) => state === 'active')).toHaveLength(1);
  });

  it('that is over cannot be rotated', async () => {
    const { desk, pass } = open();
    const { token } = await desk.create({ principal: 'agent:a', expires: '1h' });
    pass(day);
    await expect(desk.rotate(token.id)).rejects.toEqual(coded('token.expired'));
  });

  it('is as it was when its rotation fails half way', async () => {
    const { store } = openTestStore();
    let isBroken = false;
    const fragile = new Proxy(store, {
      get(target, name: keyof typeof store) {
        if (name !== 'revokeToken' || !isBroken) return target[name];
        isBroken = false;
        return () => Promise.reject(new Error('the disk is full'));
      },
    });
    const desk = createTokenDesk({ store: fragile, zone, now: () => start, by: { principal: 'user:ana' } });
    const { token } = await desk.create({ principal: 'agent:a' });
    isBroken = true;
    await expect(desk.rotate(token.id)).rejects.toThrow('disk');
    expect((await desk.list()).map(({ state }) => state)).toEqual(['active', 'revoked']);
  });
});

describe('a token made from another', () => {
  it('inherits its rights, under what is wished for', async () => {
    const { desk, resolve } = open();
    const parent = await desk.create({ principal: 'agent:a', profile: 'coding' });
    const wish: ChildTokenWish = {
      principal: 'agent:b',
      tools: ['Read'],
      label: 'child',
      inheritsActive: false,
    };
    const child = await desk.attenuate(parent.secret, wish);
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
    const plain = await desk.attenuate(parent.token.id, {});
    expect(plain.token).toMatchObject({ principal: 'agent:a', inheritsActive: true, createdBy: 'user:ana' });
  });

  it('never ends later than its parent', async () => {
    const { desk } = open();
    const parent = await desk.create({ principal: 'agent:a', expires: '2d' });
    const end = async (wish: ChildTokenWish) => (await desk.attenuate(parent.secret, wish)).token.expiresAt;
    expect(await end({})).toBe(start + 2 * day);
    expect(await end({ expires: '30d' })).toBe(start + 2 * day);
    expect(await end({ expires: '1d' })).toBe(start + day);
    const endless = await desk.create({ principal: 'agent:a' });
    expect((await desk.attenuate(endless.secret, {})).token.expiresAt).toBeUndefined();
  });

  it('cannot be made from one that is void', async () => {
    const { desk, pass } = open();
    const brief = await desk.create({ principal: 'agent:a', expires: '1d' });
    const gone = await desk.create({ principal: 'agent:a' });
    const child = await desk.attenuate(gone.secret, {});
    await desk.revoke(gone.token.id);
    await expect(desk.attenuate(gone.secret, {})).rejects.toEqual(coded('token.revoked'));
    await expect(desk.attenuate(child.secret, {})).rejects.toEqual(coded('token.parent_void'));
    pass(day);
    await expect(desk.attenuate(brief.secret, {})).rejects.toEqual(coded('token.expired'));
  });

  it('is at most the eighth', async () => {
    const { desk, resolve } = open();
    let { secret } = await desk.create({ principal: 'agent:a' });
    for (let link = 2; link <= 8; link += 1) ({ secret } = await desk.attenuate(secret, {}));
    expect(await resolve(secret)).toMatchObject({ kind: 'caller' });
    await expect(desk.attenuate(secret, {})).rejects.toEqual(coded('token.too_deep'));
  });
});

describe('the record of it all', () => {
  it('says who did what to which token, and holds no secret and no hash', async () => {
    const { desk, audit, store } = open({
      by: { principal: 'user:ana', tokenId: 'tok_mine', requestId: 'r1' },
    });
    const one = await desk.create({ principal: 'agent:a', profile: 'coding', expires: '1d' });
    const two = await desk.rotate(one.token.id);
    const three = await desk.attenuate(two.secret, { tools: ['Read'] });
    await desk.revoke(three.token.id);
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
