import { afterEach, describe, expect, it } from 'vitest';
import { openTestStore, type TestStore } from '../../../test/support/token-store.js';
import type { AuditRecord, TokenRecord } from '../ports/index.js';
import { type Credentials, openCredentials, type Resolved } from './credentials.js';
import { mintToken } from './token-secret.js';

const zone = 'local';
const audit: AuditRecord = { at: 0, zone, action: 'test', decision: 'allow', principal: 'user:ana' };
let credentials: Credentials | undefined;
afterEach(() => credentials?.close());

function open(answers: 'at once' | 'late', existing?: TestStore) {
  const test = existing ?? openTestStore(answers);
  let now = 1_000_000;
  const opened = openCredentials({ store: test.store, zone, now: () => now, elapsed: () => now });
  credentials = opened;
  return {
    ...test,
    credentials: opened,
    pass(ms: number) {
      now += ms;
    },
    async make(more: Partial<TokenRecord> = {}) {
      const { secret, hash, id } = mintToken();
      const record = {
        id,
        zone,
        hash,
        principal: 'agent:alice',
        createdBy: 'user:ana',
        createdAt: 0,
        ...more,
      };
      await test.store.addToken(record, audit);
      return { id, secret, header: `Bearer ${secret}` };
    },
    revoke: (id: string) => test.store.revokeToken(zone, id, now, audit),
    async bump() {
      const tuple = {
        user: `principal:agent/n${String(now)}`,
        relation: 'caller',
        object: 'tool:builtin/Read',
      };
      await test.store.write({ zone, add: [tuple], record: audit });
    },
    ask: async (header: string | undefined): Promise<Resolved> => opened.resolve(header),
  };
}

const refused = (reason: string) => ({ kind: 'refused', reason });

describe.each(['at once', 'late'] as const)('a credential, with a store that answers %s', (answers) => {
  it('identifies its caller', async () => {
    const { make, ask } = open(answers);
    const { header, id } = await make({ profile: 'coding' });
    expect(await ask(header)).toEqual({
      kind: 'caller',
      caller: {
        principal: { kind: 'agent', id: 'alice', zone },
        chain: [
          { principal: { kind: 'agent', id: 'alice', zone }, rights: 'own', profile: 'coding', tokenId: id },
        ],
        credential: `token:${id}`,
      },
    });
  });

  it.each([
    [undefined, 'no_identity'],
    ['', 'no_identity'],
    ['   ', 'no_identity'],
    ['Bearer', 'token_malformed'],
    ['Bearer nonsense', 'token_malformed'],
    [`Bearer tg_${'a'.repeat(43)}`, 'token_malformed'],
    [`Basic tgt_${'a'.repeat(43)}`, 'token_malformed'],
    [`Bearer tgt_${'a'.repeat(43)} x`, 'token_malformed'],
  ])('is refused without asking the store if it is %j', async (header, reason) => {
    const { ask, asked } = open(answers);
    expect(await ask(header)).toEqual(refused(reason));
    expect(asked()).toEqual([]);
  });

  it('is refused when it is forged, foreign, revoked or expired', async () => {
    const { make, ask, revoke, pass } = open(answers);
    expect(await ask(`Bearer ${mintToken().secret}`)).toEqual(refused('token_unknown'));
    const foreign = await make({ zone: 'other' });
    expect(await ask(foreign.header)).toEqual(refused('token_unknown'));
    const { header, id } = await make();
    await revoke(id);
    expect(await ask(header)).toEqual({ ...refused('token_revoked'), tokenId: id });
    const brief = await make({ expiresAt: 1_000_500 });
    expect((await ask(brief.header)).kind).toBe('caller');
    pass(500);
    expect(await ask(brief.header)).toEqual({ ...refused('token_expired'), tokenId: brief.id });
  });

  it('is void if its parent is revoked, expired or missing', async () => {
    const { make, ask, revoke, pass } = open(answers);
    const root = await make({ expiresAt: 1_000_500 });
    const child = await make({ parent: root.id });
    const other = await make({ parent: (await make()).id });
    const [grandchild, orphan] = [await make({ parent: child.id }), await make({ parent: 'tok_gone' })];
    expect((await ask(grandchild.header)).kind).toBe('caller');
    expect(await ask(orphan.header)).toMatchObject(refused('parent_void'));
    await revoke(child.id);
    expect(await ask(grandchild.header)).toMatchObject(refused('parent_void'));
    expect((await ask(root.header)).kind).toBe('caller');
    const second = await make({ parent: root.id });
    expect((await ask(second.header)).kind).toBe('caller');
    pass(500);
    expect(await ask(second.header)).toMatchObject(refused('parent_void'));
    expect((await ask(other.header)).kind).toBe('caller');
  });

  it('is looked up once per revision', async () => {
    const { make, ask, asked, bump } = open(answers);
    const { header } = await make();
    await ask(header);
    expect(asked()).toEqual(['head', 'findToken']);
    await ask(header);
    await ask(header);
    expect(asked()).toEqual(['head', 'head']);
    await bump();
    await ask(header);
    expect(asked()).toEqual(['head', 'findToken']);
  });

  it('that is unknown is cached for the same time', async () => {
    const { ask, asked, store } = open(answers);
    const { secret, hash, id } = mintToken();
    const header = `Bearer ${secret}`;
    await ask(header);
    await ask(header);
    expect(asked()).toEqual(['head', 'findToken', 'head']);
    const record = { id, zone, hash, principal: 'agent:alice', createdBy: 'user:ana', createdAt: 0 };
    await store.addToken(record, audit);
    expect((await ask(header)).kind).toBe('caller');
  });

  it('is refused from the first request after its revocation', async () => {
    const { make, ask, revoke } = open(answers);
    for (let round = 0; round < 50; round += 1) {
      const { header, id } = await make();
      expect((await ask(header)).kind).toBe('caller');
      await revoke(id);
      expect((await ask(header)).kind).toBe('refused');
    }
  });

  it('cannot be checked while the store is unavailable, and the failure is not cached', async () => {
    const { make, credentials, fail, heal, ask } = open(answers);
    const { header } = await make();
    expect((await ask(header)).kind).toBe('caller');
    fail();
    await expect((async () => credentials.resolve(header))()).rejects.toMatchObject({
      code: 'store.unavailable',
    });
    heal();
    expect((await ask(header)).kind).toBe('caller');
  });

  it('is compared in full with the stored hash', async () => {
    const { store, ask, make } = open(answers);
    await make();
    const real = mintToken();
    const wrong = { ...real, hash: `${real.hash.slice(0, 16)}${'0'.repeat(48)}` };
    const record = { ...wrong, zone, principal: 'agent:alice', createdBy: 'user:ana', createdAt: 0 };
    // A store that matches only a part of the hash by mistake.
    const careless = new Proxy(store, {
      get: (target, name: keyof typeof store) => (name === 'findToken' ? () => record : target[name]),
    });
    const fooled = openCredentials({ store: careless, zone, now: () => 0 });
    expect(await fooled.resolve(`Bearer ${real.secret}`)).toEqual(refused('token_unknown'));
    expect(await ask(`Bearer ${real.secret}`)).toEqual(refused('token_unknown'));
    await fooled.close();
  });

  it('is valid until it or one of its parents ends', async () => {
    const { make, ask, revoke, credentials, pass } = open(answers);
    const root = await make({ expiresAt: 1_000_500 });
    const child = await make({ parent: root.id });
    await ask(child.header);
    expect([root.id, child.id].map((id) => credentials.isAlive(id))).toEqual([true, true]);
    expect(await credentials.check(child.id)).toBe(true);
    await revoke(child.id);
    expect(await credentials.check(child.id)).toBe(false);
    expect([root.id, child.id].map((id) => credentials.isAlive(id))).toEqual([true, false]);
    pass(500);
    expect(credentials.isAlive(root.id)).toBe(false);
    expect(await credentials.check('tok_nobody')).toBe(false);
  });

  it('reports that tokens may be void, so that they are checked again', async () => {
    const { make, ask, revoke, credentials } = open(answers);
    const { header, id } = await make();
    await ask(header);
    const heard: boolean[] = [];
    const stop = credentials.onChange(() => heard.push(credentials.isAlive(id)));
    await revoke(id);
    await expect.poll(() => heard.at(-1)).toBe(false);
    const before = heard.length;
    stop();
    await make();
    expect(heard).toHaveLength(before);
  });

  it('stays valid while the store is unavailable, because no new caller is admitted', async () => {
    const { make, ask, credentials, fail } = open(answers);
    const { header, id } = await make();
    await ask(header);
    fail();
    expect(credentials.isAlive(id)).toBe(true);
    await expect((async () => credentials.check(id))()).rejects.toThrow('away');
  });
});

describe('a synchronous store', () => {
  it('is used synchronously', async () => {
    const { make, credentials } = open('at once');
    const { header, id } = await make();
    expect(credentials.resolve(header)).not.toBeInstanceOf(Promise);
    expect(credentials.check(id)).toBe(true);
    expect(credentials.isAlive(id)).toBe(true);
  });

  it('returns the same caller while the revision is unchanged', async () => {
    const { make, ask } = open('at once');
    const { header } = await make();
    const [one, two] = [await ask(header), await ask(header)];
    expect(one.kind === 'caller' && two.kind === 'caller' && one.caller === two.caller).toBe(true);
  });
});

/** Waits one tick. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

describe('a late answer', () => {
  it('is not cached for a later revision', async () => {
    const { make, ask, revoke, hold } = open('late');
    const [mine, other] = [await make(), await make()];
    const release = hold('findToken');
    // The record is read before the token is revoked, and another request brings the new revision.
    const slow = ask(mine.header);
    await settled();
    await revoke(mine.id);
    const next = ask(other.header);
    await settled();
    release();
    await Promise.all([slow, next]);
    expect(await ask(mine.header)).toMatchObject(refused('token_revoked'));
  });

  it('does not make a token valid again', async () => {
    const { make, credentials, revoke, hold, store } = open('late');
    const { id } = await make();
    const old = await store.head(zone);
    const release = hold('token');
    const early = credentials.check(id, old);
    await revoke(id);
    const free = hold('token');
    free();
    expect(await credentials.check(id, await store.head(zone))).toBe(false);
    release();
    await early;
    expect(credentials.isAlive(id)).toBe(false);
  });
});

describe('an asynchronous store', () => {
  it('is asked about a token only after a change hint or a while', async () => {
    const { make, ask, credentials, asked, bump, pass } = open('late');
    const { header, id } = await make();
    await ask(header);
    const glance = (): void => {
      for (let n = 0; n < 100; n += 1) expect(credentials.isAlive(id)).toBe(true);
    };
    const questions = async (): Promise<readonly string[]> => {
      glance();
      await settled();
      return asked();
    };
    await questions();
    expect(await questions()).toEqual([]);
    await bump();
    expect(await questions()).toEqual(['head', 'token']);
    expect(await questions()).toEqual([]);
    pass(5000);
    expect(await questions()).toEqual(['head']);
    expect(await questions()).toEqual([]);
  });

  it('is asked again if a change hint arrived during the query', async () => {
    const { make, ask, credentials, revoke, hold, pass } = open('late');
    const { header, id } = await make();
    await ask(header);
    pass(6000);
    const release = hold('head');
    const seen: boolean[] = [];
    credentials.onChange(() => seen.push(credentials.isAlive(id)));
    credentials.isAlive(id);
    await revoke(id);
    release();
    await expect.poll(() => seen.at(-1)).toBe(false);
  });
});

describe('guessing tokens', () => {
  it('does not evict known tokens', async () => {
    const { make, ask, asked } = open('at once');
    const { header } = await make();
    await ask(header);
    for (let n = 0; n < 3000; n += 1) await ask(`Bearer ${mintToken().secret}`);
    asked();
    await ask(header);
    expect(asked()).toEqual(['head']);
  });
});

describe('the last use', () => {
  it('is saved when the gateway closes', async () => {
    const { make, ask, store, pass } = open('at once');
    const { header, id } = await make();
    await ask(header);
    pass(10);
    await ask(header);
    await credentials?.close();
    expect(await store.token(id)).toMatchObject({ lastUsedAt: 1_000_010 });
  });

  it('is not saved for a refused caller', async () => {
    const { make, ask, store, revoke } = open('at once');
    const { header, id } = await make();
    await revoke(id);
    await ask(header);
    await credentials?.close();
    expect((await store.token(id))?.lastUsedAt).toBeUndefined();
  });
});
