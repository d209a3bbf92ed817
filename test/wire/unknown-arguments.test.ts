import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpGate, openHttpGate, openPlace, type Place } from '../support/gate.js';
import { openHttpClient, openLegacySession } from '../support/http-client.js';
import { tokenOf } from '../support/raw-client.js';
import { openSdkClient, type SdkClient, sdkKinds } from '../support/sdk-clients.js';

const nullableTool = `import { defineTool } from 'tidegate/tool';
export default defineTool({
  name: 'label_task',
  title: 'Label a task',
  description: 'Label a task.',
  effect: 'read',
  input: {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) => ({ value }),
      jsonSchema: {
        input: () => ({
          type: 'object',
          properties: {
            label: { type: 'string', description: 'A label.' },
            label_track: { type: ['string', 'null'], description: 'A track.' },
          },
          required: ['label'],
        }),
        output: () => ({ type: 'object' }),
      },
    },
  },
  run: (input) => JSON.stringify(input),
});
`;

let place: Place;
let gate: HttpGate;
let client: SdkClient;
let notes = '';

beforeAll(async () => {
  place = openPlace({ builtins: ['*'], log: { level: 'error' } }, { trusted: false });
  const workspace = join(place.directory, 'workspace');
  notes = join(workspace, 'notes.txt');
  writeFileSync(notes, 'one\n');
  mkdirSync(join(workspace, '.tidegate', 'tools'), { recursive: true });
  writeFileSync(join(workspace, '.tidegate', 'tools', 'label-task.tool.mjs'), nullableTool);
  expect(place.run('trust', '--yes')).toMatchObject({ status: 0 });
  gate = await openHttpGate(place);
  client = await openSdkClient({ kind: sdkKinds[1], wire: 'http', place, gate });
});
afterAll(async () => {
  await client.close();
  await gate.close();
  place.close();
});

describe('[16.17] an unknown argument of a built-in tool', () => {
  const edit = { file_path: 'notes.txt', old_string: 'one', new_string: 'two' };

  it('is refused by a tool that writes, with the known arguments', async () => {
    const refused = await client.call('Edit', { ...edit, dry_run: true });
    expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: 'input.invalid' } } });
    expect(JSON.stringify(refused)).toContain('unknown argument \\"dry_run\\"');
    expect(readFileSync(notes, 'utf8')).toBe('one\n');
  });

  it('is refused by a tool that executes', async () => {
    const command = { command: 'echo two > notes.txt', dry_run: true };
    expect(await client.call('Bash', command)).toMatchObject({ isError: true });
    expect(readFileSync(notes, 'utf8')).toBe('one\n');
  });

  it('is reported in the result of a tool that reads, as text and structured content', async () => {
    const found = await client.call('Grep', { pattern: 'one', glbo: '*.md' });
    const said = '"glbo" (did you mean "glob"?)';
    expect(found.structuredContent).toMatchObject({ ignored_arguments: [said] });
    expect(found.content.at(-1)?.text).toBe(`Unknown arguments were ignored: ${said}.`);
  });

  it('is silently dropped if a client adds it to every call', async () => {
    const edited = await client.call('Edit', { ...edit, wait_for_previous: true });
    expect(edited.isError).not.toBe(true);
    expect(readFileSync(notes, 'utf8')).toBe('two\n');
    const found = await client.call('Grep', { pattern: 'two', wait_for_previous: true });
    expect(JSON.stringify(found)).not.toContain('wait_for_previous');
  });
});

describe('[16.17] an argument given under two names', () => {
  const found = { pattern: 'two', path: '.' };

  it.each([
    ['Write', { file_path: 'a.txt', path: 'b.txt', content: 'x' }, 'path', 'file_path'],
    ['Write', { path: 'a.txt', filename: 'b.txt', content: 'x' }, 'filename', 'path'],
    ['Bash', { command: 'echo 1 > a.txt', cmd: 'echo 2 > a.txt' }, 'cmd', 'command'],
  ])('is refused by %s: %j', async (tool, given, other, winner) => {
    const refused = await client.call(tool, given);
    expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: 'input.invalid' } } });
    expect(JSON.stringify(refused)).toContain(`\\"${other}\\" (\\"${winner}\\" is also given)`);
    expect(existsSync(join(place.directory, 'workspace', 'a.txt'))).toBe(false);
  });

  it('is reported in the result of a tool that reads', async () => {
    const { structuredContent } = await client.call('Grep', { ...found, query: 'zzz' });
    expect(structuredContent).toMatchObject({ ignored_arguments: ['"query" ("pattern" is also given)'] });
  });

  it('control: one name is accepted, and so is a second one with the same value or null', async () => {
    for (const given of [
      { query: 'two' },
      { pattern: 'two', query: 'two' },
      { pattern: null, query: 'two' },
    ]) {
      const result = await client.call('Grep', { path: '.', ...given });
      expect(result.isError).not.toBe(true);
      expect(JSON.stringify(result)).toContain('notes.txt');
      expect(JSON.stringify(result)).not.toContain('ignored_arguments');
    }
  });
});

describe('[16.17] a duplicate argument', () => {
  async function send(path: string, body: string): Promise<string> {
    const http = openHttpClient(gate.base);
    const authorization = `Bearer ${tokenOf(place)}`;
    const headers =
      path === '/mcp' ? await openLegacySession(http, {}, { authorization }) : { authorization };
    const { text } = await http.send(path, body, {
      headers: { 'content-type': 'application/json', ...headers },
    });
    http.close();
    return text;
  }
  const mcp = (name: string, text: string): Promise<string> =>
    send(
      '/mcp',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${text}}}`,
    );
  const twice = '{"command":"echo first","comm\\u0061nd":"echo second"}';

  it.each([
    ['in a call', () => mcp('Bash', twice), /[Dd]uplicate key \\"command\\"/],
    [
      'deeper in a call',
      () => mcp('Edit', '{"edits":[{"old_string":"a","old_string":"b"}]}'),
      /[Dd]uplicate key/,
    ],
    ['for another tool', () => mcp('call_tool', `{"name":"Bash","arguments":${twice}}`), /[Dd]uplicate key/],
    [
      'as text for another tool',
      () => mcp('call_tool', JSON.stringify({ name: 'Bash', arguments: twice })),
      /input\.invalid/,
    ],
    [
      'as text in place of a list',
      () =>
        mcp(
          'Edit',
          '{"file_path":"notes.txt","edits":"[{\\"old_string\\":\\"two\\",\\"new_string\\":\\"1\\",\\"new_string\\":\\"2\\"}]"}',
        ),
      /input\.invalid/,
    ],
    ['over the admin API', () => send('/api/tools/Bash/call', twice), /[Dd]uplicate key \\"command\\"/],
  ])('is refused %s', async (_where, run, said) => {
    const text = await run();
    expect(text).toMatch(said);
    expect(text).not.toContain('second\\n');
    expect(readFileSync(notes, 'utf8')).toBe('two\n');
  });

  it('is refused on the command line', () => {
    const { status, stdout, stderr } = place.run('tools', 'call', 'Bash', twice);
    expect(status).not.toBe(0);
    expect(stdout + stderr).toContain('Duplicate argument: "command"');
  });

  it('control: the same name in two objects is accepted', async () => {
    const edits = '{"old_string":"two","new_string":"six"},{"old_string":"six","new_string":"two"}';
    const text = await mcp('Edit', `{"file_path":"notes.txt","edits":[${edits}]}`);
    expect(text).not.toContain('given twice');
    expect(await mcp('Bash', '{"command":"echo second"}')).toContain('second');
  });
});

it('[16.28] a field that may be null is accepted in a workspace tool, and null means absent', async () => {
  const listed = (await client.tools()).find(({ name }) => name === 'label_task');
  expect(listed).toBeDefined();
  const { content } = await client.call('label_task', { label: 'a', label_track: null });
  expect(content[0]?.text).toBe('{"label":"a"}');
  const given = await client.call('label_task', { label: 'a', label_track: 'b' });
  expect(given.content[0]?.text).toBe('{"label":"a","label_track":"b"}');
});
