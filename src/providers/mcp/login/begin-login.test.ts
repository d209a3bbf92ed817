import { createServer } from 'node:http';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { followLink, type LoginWorld, openLoginWorld } from '../../../../test/support/login-world.js';
import { beginLogin, type BeginParts, type OpenLogin } from './begin-login.js';
import { endLogin } from './end-login.js';
import { openGuardedFetch } from './guarded-fetch.js';
import { grantOf, type Locking, type LoginFiles, loginKey, openLoginFiles } from './kept-login.js';
import { renew } from './renew.js';
import { LoginFailure, type LoginSettings } from './settings.js';
import { refreshTokens } from './tokens.js';

let world: LoginWorld;
let folder: string;
let files: LoginFiles;
let stop: AbortController;

beforeEach(async () => {
  world = await openLoginWorld({ mark: 'canary', clients: { byhand: 's3cret' } });
  folder = mkdtempSync(join(tmpdir(), 'tidegate-login-'));
  files = openLoginFiles(folder, inTurn());
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

/** One after the other in this process; between processes it is a file, see lib/file-lock.test.ts. */
function inTurn(): Locking {
  let last: Promise<unknown> = Promise.resolve();
  return (_, work) => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
}

function begin(settings: LoginSettings = {}, more: Partial<BeginParts> = {}): Promise<OpenLogin> {
  const key = loginKey(world.url, settings);
  return beginLogin({ server: world.url, key, files, settings, signal: stop.signal, ...more });
}

function tokens(settings: LoginSettings = {}) {
  return grantOf(files.read(loginKey(world.url, settings)))?.tokens;
}

/** What a login came to: nothing, or why it failed. No failure may hold a secret. */
async function outcome(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    if (!(error instanceof LoginFailure)) throw error;
    for (const secret of world.secrets) expect(error.message).not.toContain(secret);
    return error.reason;
  }
}

async function whole(settings?: LoginSettings): Promise<string> {
  return outcome(
    (async () => {
      const open = await begin(settings);
      await followLink(open.link);
      await open.finished;
    })(),
  );
}

describe('a login', () => {
  it('gets tokens, and stores them so that only their owner can read them', async () => {
    expect(await whole()).toBe('ok');
    expect(tokens()).toMatchObject({ access: expect.stringMatching(/^canary-access/), scope: 'read' });
    const kept = join(folder, 'logins');
    expect(statSync(kept).mode & 0o777).toBe(0o700);
    expect(readdirSync(kept).map((name) => statSync(join(kept, name)).mode & 0o777)).toEqual([0o600]);
    const registered = JSON.parse(world.asked('/register')[0]?.text ?? '{}') as object;
    expect(registered).toMatchObject({ application_type: 'native', token_endpoint_auth_method: 'none' });
    expect(world.asked('/authorize')[0]?.query.get('resource')).toBe(world.url);
  });

  it('uses the client of the operator, with its secret', async () => {
    const settings = { clientId: 'byhand', clientSecret: 's3cret' };
    expect(await whole(settings)).toBe('ok');
    expect(world.asked('/register')).toHaveLength(0);
    expect(world.asked('/token')[0]?.authorization).toMatch(/^Basic /);
  });

  it('reuses the registered client if the redirect address is the same', async () => {
    expect(await whole()).toBe('ok');
    expect(await whole()).toBe('ok');
    expect(world.asked('/register')).toHaveLength(1);
  });

  it('registers again after a client was deleted', async () => {
    expect(await whole()).toBe('ok');
    world.faults.forgetsClients = true;
    const open = await begin({}, { longestMs: 200 });
    expect((await followLink(open.link)).status).toBe(400);
    expect(await outcome(open.finished)).toBe('late');
    delete world.faults.forgetsClients;
    expect(await whole()).toBe('ok');
    expect(world.asked('/register')).toHaveLength(2);
  });

  it('accepts the address that a person pastes, but only the one of this login', async () => {
    const open = await begin();
    const back = await fetch(open.link, { redirect: 'manual' });
    const address = back.headers.get('location') ?? '';
    for (const wrong of [
      '',
      'hello',
      'https://evil.example/callback?code=1',
      `${open.redirect}?code=1&state=x`,
    ])
      expect(() => open.paste(wrong)).toThrow(LoginFailure);
    open.paste(address);
    await open.finished;
    expect(tokens()).toBeDefined();
    expect(() => open.paste(address)).toThrow(LoginFailure);
  });

  it('keeps waiting if a stranger calls the redirect address', async () => {
    const open = await begin();
    for (const stranger of ['?code=evil&state=wrong', '?error=access_denied', ''])
      expect((await fetch(`${open.redirect}${stranger}`)).status).toBe(400);
    expect((await fetch(open.redirect.replace('callback', 'other'))).status).toBe(404);
    expect((await followLink(open.link)).status).toBe(200);
    await open.finished;
  });
});

describe('an unsafe login', () => {
  it.each([
    ['metadata of another issuer', { issuer: 'https://evil.example' }, 'unfit', 0],
    ['an authorization server without PKCE', { noPkce: true }, 'unfit', 0],
    ['metadata of another resource', { resource: 'https://evil.example/mcp' }, 'unfit', 0],
    ['metadata that never ends', { hugeMetadata: true }, 'unfit', 0],
    ['metadata on another origin', { redirectMetadata: 'http://127.0.0.1:1/x' }, 'none', 0],
    ['a token endpoint without https', { tokenEndpoint: 'http://example.com/token' }, 'unfit', 0],
    ['a link-local token endpoint', { tokenEndpoint: 'https://169.254.169.254/token' }, 'unfit', 1],
    ['an answer of another issuer', { iss: 'https://evil.example' }, 'callback', 1],
    ['an answer without an issuer', { iss: null }, 'callback', 1],
    ['a user who declines', { denies: true }, 'denied', 1],
    ['tokens of another kind', { tokenType: 'DPoP' }, 'unfit', 1],
    ['an authorization server that is broken', { brokenToken: true }, 'unreachable', 1],
  ] as const)('fails at %s, and stores nothing', async (_, faults, reason, authorized) => {
    // The control: the same world without the fault is logged in to.
    expect(await whole()).toBe('ok');
    files.remove(loginKey(world.url));
    const before = world.asked('/authorize').length;
    Object.assign(world.faults, faults);
    expect(await whole()).toBe(reason);
    expect(world.asked('/authorize')).toHaveLength(before + authorized);
    expect(tokens()).toBeUndefined();
  });

  it('is not completed by the state of another login', async () => {
    world.faults.state = 'forged';
    const open = await begin({}, { longestMs: 300 });
    expect((await followLink(open.link)).status).toBe(400);
    expect(await outcome(open.finished)).toBe('late');
    expect(world.asked('/token')).toHaveLength(0);
  });

  it('sends the client secret to the first authorization server only', async () => {
    const settings = { clientId: 'byhand', clientSecret: 's3cret' };
    expect(await whole(settings)).toBe('ok');
    const key = loginKey(world.url, settings);
    const kept = files.read(key);
    files.write(key, { server: world.url, grants: {}, ...kept, issuer: 'https://first.example' });
    expect(await whole(settings)).toBe('unfit');
    expect(await whole({ ...settings, issuer: world.issuer })).toBe('ok');
    expect(await whole({ ...settings, issuer: 'https://other.example' })).toBe('unfit');
  });

  it('reports that a port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    expect(await outcome(begin({ port }))).toBe('callback');
    other.close();
  });
});

describe('a token', () => {
  const parts = () => {
    const used = tokens()?.access ?? '';
    return { server: world.url, key: loginKey(world.url), files, settings: {}, used, signal: stop.signal };
  };

  it('is renewed once for all callers that find it expired', async () => {
    await whole();
    const over = parts();
    expect(await Promise.all([renew(over), renew(over), renew(over)])).toEqual([true, true, true]);
    expect(world.asked('/token')).toHaveLength(2);
    expect(tokens()?.access).not.toBe(over.used);
  });

  it.each([1e20, Number.MAX_VALUE, -5])(
    'has a valid expiry, even if it lasts %d seconds',
    async (expiresIn) => {
      await world.close();
      world = await openLoginWorld({ mark: 'canary', expiresIn });
      await whole();
      expect(new Date(tokens()?.until ?? Number.NaN).toISOString()).toMatch(/^20/);
    },
  );

  it('control: would be lost if two processes renewed it without the lock', async () => {
    await whole();
    const grant = grantOf(files.read(loginKey(world.url)));
    if (grant === undefined) throw new Error('nothing was kept');
    const fetch = await openGuardedFetch(world.url);
    const both = await Promise.all([1, 2].map(() => refreshTokens(world.issuer, grant, fetch)));
    expect(both.filter((one) => one === undefined)).toHaveLength(1);
  });

  it('is deleted if the authorization server refuses to renew it', async () => {
    await whole();
    world.revokeAll();
    expect(await renew(parts())).toBe(false);
    expect(tokens()).toBeUndefined();
  });

  it('is kept while the authorization server is failing', async () => {
    await whole();
    world.faults.brokenToken = true;
    expect(await outcome(renew(parts()))).toBe('unreachable');
    expect(tokens()).toBeDefined();
  });

  it('is not renewed if the server now uses another authorization server', async () => {
    await whole();
    const key = loginKey(world.url);
    const kept = files.read(key);
    const grant = grantOf(kept);
    if (kept === undefined || grant === undefined) throw new Error('nothing was kept');
    files.write(key, { ...kept, issuer: 'https://old.example', grants: { 'https://old.example': grant } });
    expect(await renew({ ...parts(), challenge: {} })).toBe(false);
    expect(world.asked('/token')).toHaveLength(1);
  });

  it('is revoked and deleted on logout', async () => {
    await whole();
    const end = { server: world.url, key: loginKey(world.url), files, signal: stop.signal };
    expect(await endLogin(end)).toBe('revoked');
    expect(world.asked('/revoke')).toHaveLength(2);
    expect(readdirSync(join(folder, 'logins'))).toEqual([]);
    expect(await endLogin(end)).toBe('none');
  });
});

describe('a server that names no authorization server', () => {
  async function why(status: number): Promise<string> {
    const server = createServer((request, response) => {
      response.writeHead(request.method === 'POST' ? status : 404).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/mcp`;
    try {
      const parts = { server: url, key: loginKey(url), files, settings: {}, signal: stop.signal };
      return await beginLogin(parts).then(
        () => 'ok',
        (error: unknown) => (error instanceof LoginFailure ? `${error.reason}: ${error.message}` : ''),
      );
    } finally {
      server.close();
    }
  }

  it.each([200, 400])('does not require a login if it answers %i without one', async (status) => {
    expect(await why(status)).toMatch(/^none: .* does not require a login/);
  });

  it.each([401, 403, 404, 500])('publishes no login metadata if it answers %i', async (status) => {
    expect(await why(status)).toMatch(/^none: .* does not publish login metadata/);
  });
});
