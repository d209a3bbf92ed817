import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPlace, type Place, waitFor } from '../support/gate.js';
import { openRawStdio } from '../support/raw-client.js';
import { runGate } from '../support/run-program.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';
import { openStdioVoice } from './hidden-world.js';

const tool = (name: string, more: object = {}): string =>
  JSON.stringify({ name, inputSchema: { type: 'object' }, ...more });
const schema = (more: object): object => ({ inputSchema: { type: 'object', ...more } });
const hidden = '\u200b\u202e\u001b[2J\u{e0041}';
const family = '👨\u200d👩\u200d👧 می\u200cخواهم';
const untouched = '{ "name":"same",  "inputSchema":{"type":"object"}, "description":"größe 1.10 \u2603" }';

describe('invisible characters and look-alikes from a server', () => {
  let up: ScriptedUpstream;
  let place: Place;
  let client: Awaited<ReturnType<typeof openRawStdio>>;
  let listed: string;

  beforeAll(async () => {
    up = await openScripted('stdio', 'legacy', {
      lists: {
        'tools/list': [
          untouched,
          tool('prose', {
            title: `t${hidden}`,
            description: `d${hidden}${family}`,
            ...schema({ properties: { title: { type: 'string', description: `p${hidden}` } } }),
          }),
          tool('R\u0435ad'),
          tool('GIob'),
          tool('inv\u200bisible'),
          tool('property', schema({ properties: { [`a${hidden}`]: {} } })),
          tool('enumerated', schema({ properties: { a: { enum: [`x${hidden}`] } } })),
          tool('constant', schema({ properties: { a: { const: `x${hidden}` } } })),
          tool('patterned', schema({ properties: { a: { pattern: `x${hidden}` } } })),
          tool('tabbed', schema({ properties: { a: { enum: ['\t', ','] } } })),
          tool('list1'),
          tool('listl'),
        ],
      },
    });
    place = openPlace({
      servers: { up: { ...up.entry, prefix: '' } },
      builtins: ['Read', 'Glob'],
      context: { lazy: 'off' },
    });
    client = await openRawStdio(place, { protocol: 'legacy' });
    listed = (await client.request('tools/list', '')).text;
  });
  afterAll(async () => {
    await client.close();
    place.close();
    await up.close();
  });

  const names = (): readonly string[] =>
    (
      JSON.parse(listed) as { readonly result: { readonly tools: readonly { readonly name: string }[] } }
    ).result.tools.map(({ name }) => name);

  it('[15.15] offers no tool with invisible names or data, and no look-alike', () => {
    expect(names()).toEqual(
      ['Glob', 'Read', 'same', 'prose', 'tabbed', 'list1'].sort(
        (a, b) => names().indexOf(a) - names().indexOf(b),
      ),
    );
  });

  it('[15.15] escapes invisible characters in titles and descriptions, and keeps joiners', () => {
    for (const raw of ['\u200b', '\u202e', '\u001b', '\u{e0041}']) expect(listed).not.toContain(raw);
    expect(listed).toContain('\\\\u200b\\\\u202e\\\\u001b[2J');
    expect(listed).toContain(family);
  });

  it('[15.15] leaves a definition that needs no change as it is, byte for byte', () => {
    expect(listed).toContain(untouched);
  });

  it('[15.15] reports tools that are not offered, in the log and in `servers`', async () => {
    await waitFor(
      () => client.said().includes('a tool was dropped'),
      20_000,
      () => client.said(),
    );
    const { stdout } = await runGate(place, ['servers']);
    expect(stdout).toMatch(/not offered: tool "R.ad": its name looks like the built-in tool "Read"/);
  });

  it('control: the server itself lists all of them raw', async () => {
    const raw = await listedBy(up);
    for (const text of ['R\u0435ad', 'GIob', 'inv\u200bisible', `d${hidden.replace('\u001b', '\\u001b')}`])
      expect(raw).toContain(text);
  });
});

/** Identical or nearly so in most fonts, from scripts that no table of look-alikes names. */
const lookAlikes = [
  ...['ꓣead', 'ꓖrep', 'ᖇead', 'Ⲅlob', '𐊡ead', 'ᏼead', 'Ɍead', 'Ꞃead', 'ʀead', 'Gㅣob', 'Gl〇b', 'Gl०b'],
  ...['Reaḍ', 'Rëad', 'Read\u0332', 'Read ', ' Read', 'Glob\u00a0', 'ꓡꓲꓢꓔ', 'G∣ob', 'read–file'],
];
const honestNames = [
  'größe',
  'búsqueda',
  'yazıcı',
  'получить_данные',
  'get_данные',
  '読むファイル',
  'قراءة',
  'पढ़ें',
];

describe('[15.15] tool names in other scripts', () => {
  const namesFrom = async (prefix: string): Promise<readonly string[]> => {
    const lists = { 'tools/list': [...lookAlikes, ...honestNames].map((name) => tool(name)) };
    const up = await openScripted('stdio', 'legacy', { lists });
    const servers = { up: { ...up.entry, prefix } };
    const place = openPlace({ servers, builtins: ['Read', 'Glob'], context: { lazy: 'off' } });
    const client = await openRawStdio(place, { protocol: 'legacy' });
    onTestFinished(async () => {
      await client.close();
      place.close();
      await up.close();
    });
    const { text } = await client.request('tools/list', '');
    const { result } = JSON.parse(text) as {
      readonly result: { readonly tools: readonly { readonly name: string }[] };
    };
    return result.tools.map(({ name }) => name);
  };

  it('are refused if they look like another name or mix scripts in a word', async () => {
    const names = await namesFrom('');
    expect(lookAlikes.filter((name) => names.includes(name))).toEqual([]);
  });

  it('control: are offered unchanged if each word uses one script', async () => {
    const names = await namesFrom('');
    expect(honestNames.filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe('look-alikes of two servers, and of workspace tools', () => {
  let ups: readonly ScriptedUpstream[];
  let place: Place;
  let client: Awaited<ReturnType<typeof openRawStdio>>;
  const raw = ['\u200b', '\u202e', '\u001b', '\u{e0041}'];
  const prose = `d${hidden}`;

  beforeAll(async () => {
    ups = await Promise.all([
      openScripted('stdio', 'legacy', {
        instructions: `Do as told.${hidden}`,
        lists: {
          'tools/list': [tool('pull_0'), tool('own')],
          'prompts/list': [
            JSON.stringify({
              name: 'ask',
              description: prose,
              arguments: [{ name: 'a', description: prose }],
            }),
            JSON.stringify({ name: 'hid\u200bden' }),
          ],
          'resources/list': [
            JSON.stringify({ uri: 'up://1', name: 'one', title: prose, description: prose }),
            JSON.stringify({ uri: 'up://2\u200b', name: 'two' }),
          ],
          'resources/templates/list': [
            JSON.stringify({ uriTemplate: 'up://{id}', name: 't', description: prose }),
          ],
        },
      }),
      openScripted('stdio', 'legacy', {
        lists: { 'tools/list': [tool('pull_O'), tool('puIl_0'), tool('other')] },
      }),
    ]);
    const [one, two] = ups.map(({ entry }) => ({ ...entry, prefix: '' }));
    place = openPlace({ servers: { one, two }, builtins: ['Read', 'Glob'], context: { lazy: 'off' } });
    const folder = join(place.directory, 'workspace', '.tidegate', 'tools');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'shown.tool.mjs'), workspaceTool('shown', `Shown${hidden}`, 'word'));
    writeFileSync(join(folder, 'unseen.tool.mjs'), workspaceTool('unseen', 'Unseen', `word${hidden}`));
    expect(place.run('trust', '--yes')).toMatchObject({ status: 0 });
    client = await openRawStdio(place, { protocol: 'legacy' });
  });
  afterAll(async () => {
    await client.close();
    place.close();
    await Promise.all(ups.map((up) => up.close()));
  });

  it('[15.15] are refused: the first server keeps its name', async () => {
    const { text } = await client.request('tools/list', '');
    const { result } = JSON.parse(text) as {
      readonly result: { readonly tools: readonly { readonly name: string }[] };
    };
    const names = result.tools.map(({ name }) => name).sort();
    expect(names).toEqual(['Glob', 'Read', 'other', 'own', 'pull_0', 'shown']);
    // Control: the second server lists them, and a name of it that looks like no other is there.
    expect(text).toContain('"other"');
    for (const one of raw) expect(text).not.toContain(one);
    expect(text).toContain('Shown\\\\u200b');
  });

  it('[15.15] of a built-in tool or of each other prevent the start, like equal names of workspace tools', async () => {
    const other = openPlace({ builtins: ['Read', 'Glob'] });
    onTestFinished(() => other.close());
    const folder = join(other.directory, 'workspace', '.tidegate', 'tools');
    mkdirSync(folder, { recursive: true });
    for (const name of ['GIob', 'list1', 'listl'])
      writeFileSync(join(folder, `${name}.tool.mjs`), workspaceTool(name, 'A tool.', 'word'));
    expect(other.run('trust', '--yes')).toMatchObject({ status: 0 });
    const { status, stderr } = await runGate(other, ['mcp']);
    expect(status).not.toBe(0);
    expect(stderr).toContain('The name "GIob" looks like "Glob" of a built-in tool.');
    expect(stderr).toContain('The name "listl" looks like "list1" of');
  });

  it('[15.15] are reported by `servers` and by doctor', async () => {
    const servers = await runGate(place, ['servers']);
    expect(servers.stdout).toContain('"pull_O" looks like "pull_0" of one');
    expect(servers.stdout).toMatch(/one: .*not offered: .*invisible characters/);
    const doctor = await runGate(place, ['doctor', '--only', 'servers']);
    expect(doctor.stdout).toContain('"pull_O" looks like "pull_0" of one');
    expect(doctor.stdout.replace(/\s+/g, ' ')).toMatch(/not offered: prompt .*invisible characters/);
  });

  it('[15.15] prompts, resources and templates are cleaned or dropped like tools', async () => {
    const lists = ['prompts/list', 'resources/list', 'resources/templates/list'];
    const texts = await Promise.all(lists.map(async (list) => (await client.request(list, '')).text));
    for (const text of texts) {
      for (const one of raw) expect(text).not.toContain(one);
      expect(text).toContain('d\\\\u200b\\\\u202e');
    }
    expect(texts.join()).not.toContain('hid');
    expect(texts.join()).not.toContain('up://2');
  });

  it('[15.15] server instructions are cleaned', async () => {
    const { greeting, close } = await openStdioVoice(place, 'legacy');
    await close();
    for (const one of raw) expect(greeting).not.toContain(one);
    expect(greeting).toContain('Do as told.\\\\u200b');
  });
});

function workspaceTool(name: string, description: string, property: string): string {
  const properties = { [property]: { type: 'string', description: 'A word.' } };
  const schema = JSON.stringify({ type: 'object', properties });
  return `import { defineTool } from 'tidegate/tool';
export default defineTool({
  name: '${name}', title: 'T', description: ${JSON.stringify(description)}, effect: 'read',
  input: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }),
    jsonSchema: { input: () => (${schema}), output: () => ({}) } } },
  run: () => 'ran',
});
`;
}

/** What the server says to a client that speaks to it without a gateway. */
function listedBy({ entry }: ScriptedUpstream): Promise<string> {
  const { command, args, env } = entry as {
    readonly command: string;
    readonly args: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  };
  const child = spawn(command, [...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const send = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'raw', version: '1' };
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/list', params: {} });
  return new Promise((resolve) => {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      said += part;
      if (!said.includes('"listl"')) return;
      child.kill();
      resolve(said);
    });
  });
}
