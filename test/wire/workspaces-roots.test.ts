// Two projects on one `tidegate serve`: clients that differ only in their roots get different projects.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { tokenCommands, type TokenCommands } from '../support/client-tokens.js';
import { type HttpGate, openHttpGate, openPlace, type Place, program } from '../support/gate.js';
import { tokenOf } from '../support/raw-client.js';

let place: Place;
let gate: HttpGate;
let tokens: TokenCommands;
let first: string;
let second: string;
/** Has its own zone, so tokens of the first project are not valid there. */
let closed: string;

beforeAll(async () => {
  place = openPlace({ builtins: ['Read', 'Write', 'Glob'] });
  const base = realpathSync(place.directory);
  first = join(base, 'workspace');
  second = join(base, 'zwéite');
  closed = join(base, 'closed');
  for (const folder of [second, closed]) mkdirSync(join(folder, 'deep'), { recursive: true });
  mkdirSync(join(base, 'unserved'));
  symlinkSync(second, join(base, 'link'));
  writeFileSync(join(first, 'here.txt'), 'the first project\n');
  writeFileSync(join(second, 'here.txt'), 'the second project\n');
  writeFileSync(join(closed, 'here.txt'), 'the closed project\n');
  const configs = {
    [second]: 'builtins: [Read, Grep]\naccess: { default_profile: none }\n',
    [closed]: 'builtins: [Read, Grep]\naccess: { zone: other }\n',
  };
  for (const [folder, text] of Object.entries(configs)) {
    const config = join(folder, 'tidegate.yaml');
    writeFileSync(config, text);
    expect(place.run('trust', '--yes', config).status).toBe(0);
  }
  gate = await openHttpGate(place, '--workspace', second, '--workspace', closed);
  tokens = tokenCommands(place);
});
afterAll(async () => {
  await gate.close();
  place.close();
});

interface Options {
  readonly token?: string;
  readonly header?: string;
  /** Default: the client answers at once. */
  readonly answer?: () => Promise<{ roots: { uri: string }[] }>;
}

interface Opened {
  readonly client: Client;
  readonly asked: () => number;
}

async function open(roots: readonly string[] | undefined, options: Options = {}): Promise<Opened> {
  const headers = {
    authorization: `Bearer ${options.token ?? tokenOf(place)}`,
    ...(options.header !== undefined && { 'Tidegate-Workspace': encodeURIComponent(options.header) }),
  };
  const capabilities = roots === undefined ? {} : { roots: { listChanged: true } };
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  let asked = 0;
  if (roots !== undefined) {
    client.setRequestHandler(ListRootsRequestSchema, () => {
      asked += 1;
      return options.answer?.() ?? { roots: roots.map((path) => ({ uri: pathToFileURL(path).href })) };
    });
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(gate.url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return { client, asked: () => asked };
}

async function toolsOf({ client }: Opened): Promise<readonly string[]> {
  return (await client.listTools()).tools.map(({ name }) => name).sort();
}

async function readHere({ client }: Opened): Promise<string> {
  const result = await client.callTool({ name: 'Read', arguments: { file_path: 'here.txt' } });
  return JSON.stringify(result.content);
}

const inFirst = ['Glob', 'Read', 'Write'];
const inSecond = ['Grep', 'Read'];

describe('the roots of a stateful client', () => {
  it('choose files and tools, for lists and calls, and are asked for once', async () => {
    const one = await open([first]);
    const two = await open([second]);
    expect(await readHere(one)).toContain('the first project');
    expect(await readHere(two)).toContain('the second project');
    expect(await toolsOf(one)).toEqual(inFirst);
    expect(await toolsOf(two)).toEqual(inSecond);
    expect([one.asked(), two.asked()]).toEqual([1, 1]);
  });

  it('can be inside a project, or point there through a link', async () => {
    expect(await toolsOf(await open([join(second, 'deep')]))).toEqual(inSecond);
    expect(await toolsOf(await open([join(place.directory, 'link')]))).toEqual(inSecond);
  });

  it('choose the grants: the default profile of each project applies', async () => {
    const { secret: token } = await tokens.create('agent:alice');
    expect(await toolsOf(await open([first], { token }))).toEqual(['Glob', 'Read']);
    const denied = await open([second], { token });
    expect(await toolsOf(denied)).toEqual([]);
    const result = await denied.client
      .callTool({ name: 'Read', arguments: { file_path: 'here.txt' } })
      .catch(String);
    expect(JSON.stringify(result)).not.toContain('project');
  });

  it('hold all requests that come at once, and answer each in the chosen project', async () => {
    const two = await open([second]);
    const lists = await Promise.all([toolsOf(two), toolsOf(two), readHere(two), two.client.listPrompts()]);
    expect(lists.slice(0, 3)).toEqual([inSecond, inSecond, expect.stringContaining('the second project')]);
    expect(two.asked()).toBe(1);
  });

  it('elsewhere mean the first project, as without roots', async () => {
    expect(await toolsOf(await open([join(place.directory, 'unserved')]))).toEqual(inFirst);
    expect(await toolsOf(await open([]))).toEqual(inFirst);
    expect(await toolsOf(await open(undefined))).toEqual(inFirst);
  });

  it('in two projects are an error that names the ways to choose', async () => {
    const both = await open([first, second]);
    await expect(both.client.listTools()).rejects.toThrow(/Tidegate-Workspace.*token create --workspace/);
    await expect(readHere(both)).rejects.toThrow(/several projects/);
  });

  it('are ignored with a header or a token that is bound to a project', async () => {
    const named = await open([second], { header: first });
    expect([await toolsOf(named), named.asked()]).toEqual([inFirst, 0]);
    const { secret: token } = await tokens.create(
      'agent:bound',
      '--workspace',
      first,
      '--profile',
      'minimal',
    );
    const bound = await open([second], { token });
    expect(await readHere(bound)).toContain('the first project');
    expect(bound.asked()).toBe(0);
  });

  it('do not move an open session when they change', async () => {
    const roots = [second];
    const two = await open(roots);
    expect(await toolsOf(two)).toEqual(inSecond);
    roots.splice(0, 1, first);
    await two.client.sendRootsListChanged();
    expect(await toolsOf(two)).toEqual(inSecond);
    expect(two.asked()).toBe(1);
  });

  it('mean the first project if the client answers with an error or not in time', async () => {
    const failing = await open([second], { answer: () => Promise.reject(new Error('no')) });
    expect(await toolsOf(failing)).toEqual(inFirst);
    const silent = await open([second], { answer: () => new Promise(() => undefined) });
    expect(await toolsOf(silent)).toEqual(inFirst);
    expect(gate.said()).toContain('no usable roots');
  }, 20_000);
});

describe('[15.42] roots open no project that the token is not valid for', () => {
  it('a project that rejects the token looks like one that is not served', async () => {
    const { secret: token } = await tokens.create('agent:eve', '--profile', 'minimal');
    const see = async (folder: string): Promise<readonly unknown[]> => {
      const opened = await open([folder], { token });
      const { client } = opened;
      return [client.getInstructions(), await client.listTools(), await readHere(opened)];
    };
    const refused = await see(closed);
    expect(refused).toEqual(await see(join(place.directory, 'unserved')));
    expect(refused[2]).toContain('the first project');
    // Control: the operator's token is valid there.
    expect(await readHere(await open([closed]))).toContain('the closed project');
  });

  it('roots in the own project and in one that rejects the token are not ambiguous', async () => {
    const { secret: token } = await tokens.create('agent:mallory', '--profile', 'minimal');
    expect(await readHere(await open([closed, first], { token }))).toContain('the first project');
    // Control: for the operator, both count.
    await expect(readHere(await open([closed, first]))).rejects.toThrow(/several projects/);
  });

  it('a session that moved is found with its own credential only, and ends when that is revoked', async () => {
    const own = await tokens.create('agent:ann', '--profile', 'minimal');
    const other = await tokens.create('agent:ann', '--profile', 'minimal');
    const opened = await open([second], { token: own.secret });
    expect(await readHere(opened)).toContain('the second project');
    const session = (opened.client.transport as StreamableHTTPClientTransport).sessionId ?? '';
    const ask = async (token: string, more: Readonly<Record<string, string>> = {}): Promise<number> => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': session,
        ...more,
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 'x', method: 'tools/list' });
      const answer = await fetch(gate.url, { method: 'POST', headers, body });
      await answer.text();
      return answer.status;
    };
    expect(await ask(own.secret)).toBe(200);
    expect(await ask(other.secret)).toBe(404);
    expect(await ask(own.secret, { 'tidegate-workspace': encodeURIComponent(first) })).toBe(404);
    await tokens.revoke(own.id);
    expect(await ask(own.secret)).toBe(401);
  });
});

it('roots of a stdio client reach the gateway through mcp --via', async () => {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { roots: {} } });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: pathToFileURL(second).href }] }));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', '--via', gate.url],
    env: { ...place.env, TIDEGATE_TOKEN: tokenOf(place) },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const result = await client.callTool({ name: 'Read', arguments: { file_path: 'here.txt' } });
  expect(JSON.stringify(result.content)).toContain('the second project');
});
