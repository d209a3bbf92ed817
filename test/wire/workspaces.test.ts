// Two projects on one `tidegate serve`: the client's folder decides files, configuration and grants.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { tokenCommands, type TokenCommands } from '../support/client-tokens.js';
import { type HttpGate, openHttpGate, openPlace, type Place, program } from '../support/gate.js';
import { tokenOf } from '../support/raw-client.js';
import { runGate } from '../support/run-program.js';

let place: Place;
let gate: HttpGate;
let tokens: TokenCommands;
let first: string;
let second: string;

beforeAll(async () => {
  place = openPlace({ builtins: ['Read', 'Glob'] });
  first = realpathSync(join(place.directory, 'workspace'));
  second = join(realpathSync(place.directory), 'zwéite');
  mkdirSync(join(second, 'deep'), { recursive: true });
  writeFileSync(join(first, 'here.txt'), 'the first project\n');
  writeFileSync(join(second, 'here.txt'), 'the second project\n');
  const config = join(second, 'tidegate.yaml');
  writeFileSync(config, 'builtins: [Read, Grep]\naccess: { default_profile: none }\n');
  expect(place.run('trust', '--yes', config).status).toBe(0);
  gate = await openHttpGate(place, '--workspace', second);
  tokens = tokenCommands(place);
});
afterAll(async () => {
  await gate.close();
  place.close();
});

async function open(token: string, workspace?: string): Promise<Client> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(workspace !== undefined && { 'Tidegate-Workspace': encodeURIComponent(workspace) }),
  };
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(gate.url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

async function toolsOf(client: Client): Promise<readonly string[]> {
  return (await client.listTools()).tools.map(({ name }) => name).sort();
}

async function readHere(client: Client): Promise<string> {
  const result = await client.callTool({ name: 'Read', arguments: { file_path: 'here.txt' } });
  return JSON.stringify(result.content);
}

describe('two workspaces on one address', () => {
  it('the operator selects each by header, with its own files and tools', async () => {
    const operator = tokenOf(place);
    const one = await open(operator);
    const two = await open(operator, second);
    expect(await readHere(one)).toContain('the first project');
    expect(await readHere(two)).toContain('the second project');
    expect(await toolsOf(one)).toEqual(['Glob', 'Read']);
    expect(await toolsOf(two)).toEqual(['Grep', 'Read']);
  });

  it('a folder inside a workspace means that workspace', async () => {
    expect(await readHere(await open(tokenOf(place), join(second, 'deep')))).toContain('the second project');
  });

  it('each configuration decides the grants of its own workspace', async () => {
    const { secret } = await tokens.create('agent:alice');
    expect(await toolsOf(await open(secret))).toEqual(['Glob', 'Read']);
    expect(await toolsOf(await open(secret, second))).toEqual([]);
  });

  it('a token for one workspace works there without a header, and in no other', async () => {
    const { secret } = await tokens.create('agent:bound', '--workspace', second, '--profile', 'minimal');
    const client = await open(secret);
    expect(await readHere(client)).toContain('the second project');
    await expect(open(secret, first)).rejects.toThrow(/workspace\.not_found/);
    // Control: without that limit the same principal can use the first workspace.
    const { secret: free } = await tokens.create('agent:bound', '--profile', 'minimal');
    expect(await readHere(await open(free, first))).toContain('the first project');
  });

  it('a derived token stays in the workspace of its parent', async () => {
    const parent = await tokens.create('agent:parent', '--workspace', second, '--profile', 'minimal');
    const child = await tokens.attenuate(parent.secret, '--as', 'agent:child');
    expect(await readHere(await open(child.secret))).toContain('the second project');
    await expect(open(child.secret, first)).rejects.toThrow(/workspace\.not_found/);
    const wider = await tokens.run(['attenuate', '--from', parent.id, '--workspace', first]);
    expect([wider.status, wider.stderr]).toEqual([2, expect.stringContaining('token.bad_workspace')]);
  });

  it('[15.42] an admin whose token is bound to a workspace cannot make tokens or grants', async () => {
    expect(place.run('grant', 'agent:boss', '--admin').status).toBe(0);
    const create = async (token: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ principal: 'agent:boss' });
      const answer = await fetch(`${gate.base}/api/tokens`, { method: 'POST', headers, body });
      await answer.text();
      return answer.status;
    };
    const bound = await tokens.create('agent:boss', '--workspace', second);
    expect(await create(bound.secret)).toBe(403);
    // Control: the same admin without that limit may.
    const free = await tokens.create('agent:boss');
    expect(await create(free.secret)).toBe(200);
  });

  it('a session belongs to the workspace it was opened in', async () => {
    const headers = {
      authorization: `Bearer ${tokenOf(place)}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
    const opened = await fetch(gate.url, { method: 'POST', headers, body: JSON.stringify(hello) });
    const session = opened.headers.get('mcp-session-id') ?? '';
    await opened.text();
    const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    const ask = async (more: Readonly<Record<string, string>>): Promise<number> => {
      const answer = await fetch(gate.url, {
        method: 'POST',
        headers: { ...headers, 'mcp-session-id': session, ...more },
        body: list,
      });
      await answer.text();
      return answer.status;
    };
    expect(await ask({ 'tidegate-workspace': encodeURIComponent(second) })).toBe(404);
    expect(await ask({})).toBe(200);
  });

  it.each([
    ['a folder that is not served', () => encodeURIComponent(place.directory)],
    ['a folder whose name only starts the same', () => encodeURIComponent(`${second}-more`)],
    ['a path that leaves a workspace', () => encodeURIComponent(`${second}/../elsewhere`)],
    ['text that is not encoded correctly', () => '%zz'],
    ['a relative path', () => 'workspace'],
  ])('%s answers workspace.not_found to a valid token, and 401 to any other', async (_, header) => {
    const ask = async (token: string): Promise<readonly [number, string]> => {
      const headers = { authorization: `Bearer ${token}`, 'tidegate-workspace': header() };
      const answer = await fetch(`${gate.base}/api/tools`, { headers });
      return [answer.status, await answer.text()];
    };
    expect(await ask(tokenOf(place))).toEqual([404, expect.stringContaining('workspace.not_found')]);
    expect((await ask('tgt_wrong'))[0]).toBe(401);
  });

  it('a workspace that rejects a token looks like one that is not served', async () => {
    const { secret } = await tokens.create('agent:eve', '--workspace', first);
    const ask = async (folder: string): Promise<readonly [number, string]> => {
      const headers = { authorization: `Bearer ${secret}`, 'tidegate-workspace': encodeURIComponent(folder) };
      const answer = await fetch(`${gate.base}/api/tools`, { headers });
      return [answer.status, await answer.text()];
    };
    expect(await ask(second)).toEqual(await ask(place.directory));
    expect((await ask(first))[0]).toBe(200);
  });

  it('a stdio client chooses with mcp --via --workspace', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp', '--via', gate.url, '--workspace', second],
      env: { ...place.env, TIDEGATE_TOKEN: tokenOf(place) },
    });
    await client.connect(transport);
    onTestFinished(() => client.close());
    expect(await readHere(client)).toContain('the second project');
  });
});

it('[15.42] serve refuses a workspace without tokens together with others', async () => {
  const open = join(place.directory, 'open');
  mkdirSync(open);
  writeFileSync(join(open, 'tidegate.yaml'), 'http: { auth: none }\n');
  expect(place.run('trust', '--yes', join(open, 'tidegate.yaml')).status).toBe(0);
  const { status, stderr } = await runGate(place, ['serve', '--port', '0', '--workspace', open], {
    input: '',
  });
  expect([status, stderr]).toEqual([2, expect.stringContaining('http.auth: none cannot be used')]);
});

it.each([
  ['a missing folder', ['--workspace', 'nowhere'], 'existing folder'],
  ['the same folder twice', ['--workspace', '.'], 'is already being served'],
])('serve refuses %s', async (_, more, text) => {
  const { status, stderr } = await runGate(place, ['serve', '--port', '0', ...more], { input: '' });
  expect([status, stderr]).toEqual([2, expect.stringContaining(text)]);
});
