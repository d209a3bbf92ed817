import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPlace } from '../support/gate.js';
import { clientWays, type Gated, openGated } from '../support/pairings.js';
import type { RawClient } from '../support/raw-client.js';
import { openScripted, type Script, type ScriptedUpstream } from '../support/upstreams.js';

const filesystemServer = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-filesystem/dist/index.js',
);
const wide = '{"roots":[{"uri":"file:///"}]}';
const canRoots = '{"roots":{"listChanged":true},"elicitation":{}}';
const elicits =
  '{"method":"elicitation/create","params":{"message":"who?","requestedSchema":{"type":"object","properties":{}}}}';
const asksRoots = '{"method":"roots/list","params":{}}';
const script: Script = {
  lists: {
    'tools/list': ['roots', 'both'].map((name) => `{"name":"${name}","inputSchema":{"type":"object"}}`),
  },
  answers: {
    'tools/call': {
      roots: { result: '{"content":[{"type":"text","text":"done"}]}', asks: { r: asksRoots } },
      both: { result: '{"content":[{"type":"text","text":"done"}]}', asks: { q: elicits, r: asksRoots } },
    },
  },
};

let folder: string;
let given: string;
let other: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-roots-'));
  [given, other] = [join(folder, 'given'), join(folder, 'other')];
  for (const path of [given, other]) {
    mkdirSync(path);
    writeFileSync(join(path, 'note.txt'), `content of ${path}`);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const answer = ({ method }: { readonly method: string }): string =>
  method === 'roots/list' ? wide : '{"action":"accept","content":{}}';

const call = async (client: RawClient, name: string, args: object, more = ''): Promise<string> =>
  (await client.request('tools/call', `"name":"${name}","arguments":${JSON.stringify(args)}${more}`)).text;

describe('server-filesystem, shared by all sessions', () => {
  let gated: Gated;
  beforeAll(async () => {
    const entry = { command: process.execPath, args: [filesystemServer, given] };
    gated = await openGated({
      fs: { entry, close: () => Promise.resolve() },
      wide: { entry: { ...entry, roots: [other] }, close: () => Promise.resolve() },
    });
  });
  afterAll(() => gated.close());

  it.each(clientWays)(
    '[15.4] keeps the folder in its arguments, whatever roots a $era client over $wire sends',
    async ({ wire, protocol }) => {
      const client = await gated.connect(wire, { protocol, capabilities: canRoots, answer });
      await client.notify('notifications/roots/list_changed', '');
      const [inside, outside] = [join(given, 'note.txt'), join(other, 'note.txt')];
      expect(await call(client, 'fs_list_allowed_directories', {})).toContain(given);
      expect(await call(client, 'fs_read_text_file', { path: inside })).toContain(`content of ${given}`);
      expect(await call(client, 'fs_read_text_file', { path: outside })).toContain('Access denied');
      expect(client.heard.some((text) => text.includes('roots/list'))).toBe(false);
      await client.close();
    },
  );

  it('[15.4] gets the folders that the operator configured as its roots', async () => {
    const client = await gated.connect('http', { protocol: 'legacy', capabilities: canRoots, answer });
    const directories = await call(client, 'wide_list_allowed_directories', {});
    expect(directories).toContain(other);
    expect(directories).not.toContain(given);
    await client.close();
  });

  it('[15.4] control: without the gateway, the roots of a client replace the folder in the arguments', async () => {
    const client = new Client({ name: 'attacker', version: '1' }, { capabilities: { roots: {} } });
    let isAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    client.setRequestHandler(ListRootsRequestSchema, () => {
      isAsked();
      return { roots: [{ uri: 'file:///' }] };
    });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [filesystemServer, given],
        stderr: 'ignore',
      }),
    );
    await asked;
    const read = async (): Promise<string> =>
      JSON.stringify(
        await client.callTool({ name: 'read_text_file', arguments: { path: join(other, 'note.txt') } }),
      );
    await expect.poll(read, { timeout: 10_000 }).toContain(`content of ${other}`);
    await client.close();
  });
});

describe.each([
  { wire: 'stdio', protocol: 'legacy' },
  { wire: 'http', protocol: 'legacy' },
  { wire: 'stdio', protocol: 'modern' },
  { wire: 'http', protocol: 'modern' },
] as const)('a $era server over $wire that asks for roots in a call', (way) => {
  let plain: ScriptedUpstream;
  let configured: ScriptedUpstream;
  let asking: ScriptedUpstream;
  let gated: Gated;
  beforeAll(async () => {
    [plain, configured, asking] = await Promise.all([
      openScripted(way.wire, way.protocol, script),
      openScripted(way.wire, way.protocol, script),
      openScripted(way.wire, way.protocol, script),
    ]);
    gated = await openGated({
      plain,
      conf: { ...configured, entry: { ...configured.entry, roots: [given] } },
      caller: { ...asking, entry: { ...asking.entry, caller_roots: true } },
    });
  });
  afterAll(() => gated.close());

  const told = ({ heard }: ScriptedUpstream): string =>
    heard()
      .map(({ text = '' }) => text)
      .join('\n');

  it.each(clientWays)('[15.4] never gets those of a $era client over $wire', async ({ wire, protocol }) => {
    const client = await gated.connect(wire, { protocol, capabilities: canRoots, answer });
    await call(client, 'plain_roots', {});
    await call(client, 'conf_roots', {});
    if (protocol === 'modern') {
      // The client answers a question that it was not asked.
      const ahead = await call(client, 'plain_roots', {}, `,"inputResponses":{"r":${wide}}`);
      if (way.protocol === 'modern') expect(ahead).toContain('input.invalid');
      await call(client, 'conf_roots', {}, `,"inputResponses":{"r":${wide}}`);
    }
    await client.close();
    for (const server of [plain, configured]) expect(told(server)).not.toContain('"file:///"');
    expect(told(plain)).not.toMatch(/"roots"\s*:\s*\{/);
    expect(told(configured)).toContain(pathToFileURL(given).href);
  });

  it.skipIf(way.protocol === 'legacy')(
    '[15.4] gets the configured ones in addition to the answers of the caller',
    async () => {
      const live = await gated.connect('http', { protocol: 'legacy', capabilities: canRoots, answer });
      expect(await call(live, 'conf_both', {})).toContain('done');
      await live.close();
      const client = await gated.connect('http', { protocol: 'modern', capabilities: canRoots });
      const first = JSON.parse(await call(client, 'conf_both', {})) as {
        readonly result: { readonly requestState: string; readonly inputRequests: object };
      };
      expect(Object.keys(first.result.inputRequests)).toEqual(['q']);
      const state = JSON.stringify(first.result.requestState);
      const more = `,"inputResponses":{"q":{"action":"decline"}},"requestState":${state}`;
      expect(await call(client, 'conf_both', {}, more)).toContain('done');
      const sent = configured.heardOf('tools/call').at(-1) ?? '';
      expect(sent).toContain('"decline"');
      expect(sent).toContain(pathToFileURL(given).href);
      await client.close();
    },
  );

  it('[15.4] control: gets those of the caller if the operator and the protocol allow it', async () => {
    const client = await gated.connect('http', { protocol: 'legacy', capabilities: canRoots, answer });
    await call(client, 'caller_roots', {});
    await client.close();
    if (way.protocol === 'modern') expect(told(asking)).toContain('"file:///"');
    else expect(told(asking)).not.toContain('"file:///"');
  });
});

it('[15.4] trust lists the roots of a server under access to files', () => {
  const command = process.execPath;
  const place = openPlace(
    { servers: { one: { command, roots: ['/'] }, two: { command, caller_roots: true } } },
    { trusted: false },
  );
  const files = place.run('trust', '--yes', place.configFile).stdout.split('Reads and writes files')[1];
  expect(files).toMatch(/servers\.one\s+roots +"\/"/);
  expect(files).toMatch(/servers\.two\s+caller_roots +"true"/);
  place.close();
});
