import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  endProcess,
  fixtureServer,
  openPlace,
  type Place,
  program,
  spawnStdioGate,
  waitFor,
} from '../support/gate.js';
import { envelope, type LineClient, openLineClient } from '../support/line-client.js';
import { followLink, type LoginWorld, openLoginWorld } from '../support/login-world.js';
import { type Ran, runGate } from '../support/run-program.js';
import { hasTerminals, openTerminal } from '../support/terminal.js';

let alpha: LoginWorld;
let beta: LoginWorld;
let place: Place;
let gate: LineClient;
/** All output of the program, except the requests it sent to the two servers. */
let said = '';

beforeAll(async () => {
  [alpha, beta] = await Promise.all([
    openLoginWorld({ mark: 'alphacanary' }),
    openLoginWorld({ mark: 'betacanary' }),
  ]);
  place = openPlace({
    servers: {
      alpha: { url: alpha.url },
      beta: { url: beta.url },
      local: { command: process.execPath, args: [fixtureServer], enabled: false },
      shown: { url: alpha.url, headers: { Authorization: 'Bearer own' }, enabled: false },
    },
    log: { level: 'trace' },
  });
  gate = await openGate();
});
afterAll(async () => {
  await endProcess(gate.child);
  await Promise.all([alpha.close(), beta.close()]);
  place.close();
});

async function openGate(capabilities = {}): Promise<LineClient> {
  const child = spawnStdioGate(place);
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      said += part.toString();
    });
  const client = openLineClient(child);
  await client.initialize(capabilities);
  return client;
}

async function command(...args: readonly string[]): Promise<Ran> {
  const ran = await runGate(place, args);
  said += ran.stdout + ran.stderr;
  return ran;
}

async function toolNames(client = gate): Promise<readonly string[]> {
  const { message } = await client.request('tools/list', {}, 20_000);
  const { tools } = message.result as unknown as { readonly tools: readonly { readonly name: string }[] };
  return tools.map(({ name }) => name).sort();
}

async function call(
  name: string,
  client = gate,
): Promise<{ readonly text: string; readonly isError?: boolean }> {
  const { message } = await client.request('tools/call', { name, arguments: {} }, 20_000);
  const result = message.result as { content: readonly { text: string }[]; isError?: boolean } | undefined;
  if (result === undefined) throw new Error(JSON.stringify(message));
  return {
    text: result.content.map(({ text }) => text).join('\n'),
    ...(result.isError && { isError: true }),
  };
}

function linkIn(text: string): string {
  const link = /http:\/\/127[^\s"]+/.exec(text)?.[0];
  if (link === undefined) throw new Error(`no link in ${text}`);
  return link;
}

/** Runs `tidegate login` in its own process until it shows the link. */
async function startLogin(...more: readonly string[]): Promise<{
  readonly child: ChildProcessWithoutNullStreams;
  readonly link: string;
  readonly ended: Promise<number | null>;
}> {
  const child = spawn(process.execPath, [program, 'login', 'alpha', '--no-browser', ...more], {
    cwd: join(place.directory, 'workspace'),
    env: place.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      text += part.toString();
      said += part.toString();
    });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  await waitFor(
    () => text.includes('http://127'),
    20_000,
    () => `no link: ${text}`,
  );
  return { child, link: linkIn(text), ended };
}

async function untilListed(name: string, client = gate): Promise<void> {
  await waitFor(
    async () => (await toolNames(client)).includes(name),
    10_000,
    () => `${name} never arrived`,
  );
}

const logins = (): string => join(place.env['TIDEGATE_HOME'] ?? '', 'logins');
const refreshes = (world: LoginWorld): number =>
  world.asked('/token').filter(({ text }) => text.includes('grant_type=refresh_token')).length;

describe('before a login', () => {
  it('a server offers a tool that returns the login link', async () => {
    expect(await toolNames()).toEqual(['alpha_login', 'beta_login']);
    const { stdout } = await command('servers');
    expect(stdout).toMatch(/alpha\s+login/);
    expect(stdout).toContain('alpha: needs a login: tidegate login alpha');
  });

  it('the tool requires a grant, like any other', async () => {
    const listed = async (...more: readonly string[]): Promise<string> =>
      (await command('tools', 'list', '--json', ...more)).stdout;
    expect(await listed('--as', 'agent:nobody')).not.toContain('alpha_login');
    // The control: the operator has it.
    expect(await listed()).toContain('alpha_login');
  });

  it('nothing is requested at startup', () => {
    expect([...alpha.asked('/register'), ...alpha.asked('/authorize'), ...alpha.asked('/token')]).toEqual([]);
  });

  it.each([
    ['alpa', 3, 'server.not_found', 'Did you mean'],
    ['local', 2, 'login.no_http', 'env'],
    ['shown', 2, 'login.has_header', 'headers'],
  ])('`tidegate login %s` reports the problem', async (name, status, code, words) => {
    const ran = await command('login', name, '--json');
    expect(ran.status).toBe(status);
    expect(ran.stdout + ran.stderr).toContain(code);
    expect(ran.stdout + ran.stderr).toContain(words);
  });

  it('`tidegate tools call` suggests the command', async () => {
    const ran = await command('tools', 'call', 'alpha_login');
    expect(ran.status).toBe(7);
    expect(ran.stderr).toContain('tidegate login alpha');
  });

  it('a login that is killed or interrupted leaves nothing behind', async () => {
    const killed = await startLogin();
    killed.child.kill('SIGKILL');
    await killed.ended;
    const interrupted = await startLogin();
    interrupted.child.kill('SIGINT');
    expect(await interrupted.ended).toBe(130);
    expect(existsSync(logins()) ? readdirSync(logins()) : []).toEqual([]);
  });
});

describe('a failed login', () => {
  // A server without login that occupies a port.
  const busy = createServer((request, response) => {
    response.writeHead(request.url === '/mcp' ? 200 : 404).end();
  });
  const portOf = (): number => (busy.address() as AddressInfo).port;
  let other: Place;
  beforeAll(async () => {
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    other = openPlace({
      servers: {
        alpha: { url: alpha.url },
        dead: { url: 'http://127.0.0.1:1/mcp' },
        open: { url: `http://127.0.0.1:${portOf()}/mcp` },
        taken: { url: alpha.url, login: { port: portOf() } },
      },
    });
  });
  afterAll(() => {
    busy.close();
    other.close();
  });
  const told = async (name: string): Promise<unknown> => {
    const { status, stdout } = await runGate(other, ['login', name, '--no-browser', '--json']);
    return { status, ...(JSON.parse(stdout) as object) };
  };

  it.each([
    ['dead', 4, 'login.unreachable', 'tidegate servers'],
    ['open', 2, 'login.none', 'tidegate servers'],
    ['taken', 4, 'login.callback', 'login.port'],
  ])('with %s exits with status %i, %s and a suggestion', async (name, status, code, next) => {
    expect(await told(name)).toMatchObject({
      status,
      error: { code, next: expect.stringContaining(next) },
    });
  });

  it('at an insecure authorization server is login.unfit', async () => {
    alpha.faults.noPkce = true;
    const result = await told('alpha');
    delete alpha.faults.noPkce;
    expect(result).toMatchObject({ status: 4, error: { code: 'login.unfit', next: expect.any(String) } });
  });

  it('that the user denies is login.denied', async () => {
    alpha.faults.denies = true;
    const { child, link, ended } = await startLogin('--json');
    let stdout = '';
    child.stdout.on('data', (part: Buffer) => {
      stdout += part.toString();
    });
    await followLink(link);
    delete alpha.faults.denies;
    expect(await ended).toBe(7);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'login.denied', next: 'tidegate login alpha' },
    });
  });
});

describe('after a login', () => {
  it('in another process, the running gateway gets the tools without a restart', async () => {
    const { link, ended } = await startLogin();
    expect((await followLink(link)).text).toContain('You are logged in');
    expect(await ended).toBe(0);
    await untilListed('alpha_whoami');
    expect(await call('alpha_whoami')).toEqual({ text: 'done' });
    expect(await toolNames()).not.toContain('alpha_login');
  });

  it('through the gateway’s own link, the tools replace the login tool, and the client is notified', async () => {
    const before = gate.unclaimed.length;
    await followLink(linkIn((await call('beta_login')).text));
    await untilListed('beta_whoami');
    expect(await call('beta_whoami')).toEqual({ text: 'done' });
    const news = gate.unclaimed.slice(before).map(({ message }) => message.method);
    expect(news).toContain('notifications/tools/list_changed');
  });

  it('`tidegate servers` shows it', async () => {
    const { stdout } = await command('servers', '--json');
    const { servers } = JSON.parse(stdout) as {
      servers: readonly { id: string; detail?: string }[];
    };
    expect(servers.find(({ id }) => id === 'alpha')).toMatchObject({
      detail: 'logged in, renews automatically',
    });
  });

  it('tokens are stored so that only their owner can read them', () => {
    expect(statSync(logins()).mode & 0o777).toBe(0o700);
    const kept = readdirSync(logins());
    expect(kept).toHaveLength(2);
    for (const name of kept) expect(statSync(join(logins(), name)).mode & 0o777).toBe(0o600);
  });

  it('an expired token is renewed once, even by several processes at once', async () => {
    alpha.expire();
    const before = refreshes(alpha);
    const [here, ...there] = await Promise.all([
      call('alpha_whoami'),
      command('tools', 'call', 'alpha_whoami'),
      command('tools', 'call', 'alpha_whoami'),
    ]);
    expect(here).toEqual({ text: 'done' });
    expect(there.map(({ status }) => status)).toEqual([0, 0]);
    expect(refreshes(alpha) - before).toBe(1);
  });

  it('a temporary failure of the authorization server does not end the login', async () => {
    alpha.faults.brokenToken = true;
    alpha.expire();
    expect((await call('alpha_whoami')).text).toContain('provider.unavailable');
    delete alpha.faults.brokenToken;
    expect(await call('alpha_whoami')).toEqual({ text: 'done' });
  });

  it('a call that needs more scopes requests them together with the granted ones', async () => {
    const refused = await call('alpha_write');
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('provider.login') });
    await followLink(linkIn(refused.text));
    expect(alpha.asked('/authorize').at(-1)?.query.get('scope')).toBe('read write');
    expect(await call('alpha_write')).toEqual({ text: 'done' });
    expect(await call('alpha_whoami')).toEqual({ text: 'done' });
  });

  it('a revoked token requires a new login', async () => {
    alpha.revokeAll();
    const refused = await call('alpha_whoami');
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('tidegate login alpha') });
    expect(await toolNames()).toContain('alpha_whoami');
    await followLink(linkIn(refused.text));
    await waitFor(
      async () => (await call('alpha_whoami')).text === 'done',
      10_000,
      () => 'the login had no effect',
    );
  });

  it('a client that can show links gets the link, and its call continues', async () => {
    const client = await openGate({ elicitation: { url: {} } });
    client.onLine(({ message }) => {
      if (message.method !== 'elicitation/create') return;
      const { url } = message.params as unknown as { readonly url: string };
      void followLink(url).then(() =>
        client.send(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { action: 'accept' } })}\n`),
      );
    });
    await untilListed('alpha_whoami', client);
    alpha.revokeAll();
    expect(await call('alpha_whoami', client)).toEqual({ text: 'done' });
    const asked = client.unclaimed.filter(({ message }) => message.method === 'elicitation/create');
    expect(asked.map(({ message }) => message.params?.['mode'])).toEqual(['url']);
    await endProcess(client.child);
  });

  it('a 2026-07-28 client that can show links gets it as multi-round input, and its call continues', async () => {
    const child = spawnStdioGate(place);
    const client = openLineClient(child);
    const clientCapabilities = { elicitation: { url: {} } };
    const _meta = envelope({ 'io.modelcontextprotocol/clientCapabilities': clientCapabilities });
    const ask = { name: 'alpha_whoami', arguments: {}, _meta };
    alpha.revokeAll();
    const first = await client.request('tools/call', ask, 20_000);
    const { resultType, inputRequests, requestState } = first.message.result as unknown as {
      readonly resultType: string;
      readonly inputRequests: { readonly login: { readonly params: { readonly url: string } } };
      readonly requestState: string;
    };
    expect(resultType).toBe('input_required');
    await followLink(inputRequests.login.params.url);
    const inputResponses = { login: { action: 'accept' } };
    const again = await client.request('tools/call', { ...ask, inputResponses, requestState }, 20_000);
    expect(again.message.result).toMatchObject({ content: [{ text: 'done' }] });
    const forwarded = alpha.seen.filter(({ text }) => text.includes('inputResponses'));
    expect(forwarded).toEqual([]);
    await endProcess(child);
  });

  it('`tidegate logout` revokes and deletes the tokens, and the running gateway notices', async () => {
    const ran = await command('logout', 'alpha');
    expect(ran).toMatchObject({ status: 0, stdout: 'Logged out of alpha.\n' });
    expect(alpha.asked('/revoke')).toHaveLength(2);
    expect(readdirSync(logins())).toHaveLength(1);
    await waitFor(
      async () => (await call('alpha_whoami')).isError === true,
      10_000,
      () => 'the gateway still uses the revoked token',
    );
    expect((await command('logout', 'alpha')).stdout).toBe('You were not logged in to alpha.\n');
  });
});

describe('the user who logs in', () => {
  it.runIf(hasTerminals)('can paste the final address of a browser on another machine', async () => {
    const cwd = join(place.directory, 'workspace');
    const terminal = openTerminal({
      args: ['login', 'alpha', '--no-browser'],
      cwd,
      env: place.env,
      columns: 2000,
    });
    await terminal.sees('paste the address');
    const back = await fetch(linkIn(terminal.text()), { redirect: 'manual' });
    terminal.type('nonsense\n');
    await terminal.sees('This is not the right address');
    terminal.type(`${back.headers.get('location') ?? ''}\n`);
    await terminal.sees('Logged in to alpha');
    expect(await terminal.ended).toBe(0);
  });

  it('gets the link opened in the configured browser', async () => {
    const browser = join(place.directory, 'browser');
    const opened = join(place.directory, 'opened');
    writeFileSync(
      browser,
      `#!/bin/sh\nprintf %s "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`,
      { mode: 0o755 },
    );
    const ran = runGate(place, ['login', 'alpha', '--json'], { env: { ...place.env, BROWSER: browser } });
    await waitFor(
      () => existsSync(opened),
      20_000,
      () => 'no browser was opened',
    );
    await followLink(readFileSync(opened, 'utf8'));
    const { status, stdout, stderr } = await ran;
    said += stdout + stderr;
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ server: 'alpha', isLoggedIn: true, issuer: alpha.issuer });
  });
});

describe('a token', () => {
  it('is sent only to its own server and authorization server', () => {
    const heard = ({ seen }: LoginWorld): string =>
      seen.map((one) => `${one.authorization ?? ''} ${one.query.toString()} ${one.text}`).join('\n');
    // The control: tokens are found where they belong.
    expect(heard(alpha)).toContain('alphacanary-access');
    expect(heard(beta)).toContain('betacanary-access');
    expect(heard(alpha)).not.toContain('betacanary');
    expect(heard(beta)).not.toContain('alphacanary');
  });

  it('never appears in responses, logs or output', () => {
    const kept = readdirSync(logins()).map((name) => readFileSync(join(logins(), name), 'utf8'));
    expect(kept.join()).toContain('betacanary-access');
    expect(said).toContain('alpha');
    for (const secret of [...alpha.secrets, ...beta.secrets]) expect(said).not.toContain(secret);
  });
});
