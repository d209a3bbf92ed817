import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpGate, openHttpGate, openPlace, type Place } from '../support/gate.js';
import { type HttpClient, openHttpClient, openLegacySession, type Posted } from '../support/http-client.js';
import { tokenOf } from '../support/raw-client.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

// Millions of empty objects have no key and are small as text, but parsing them takes V8 up to a minute.
const many = 4_000_000;
/** The admin API takes 4 MiB. */
const manyForApi = 1_300_000;
const objects = (count: number): string => `[${'{},'.repeat(count)}1]`;
const limitMs = 3000;
const limitText = /more than 200000 values/;

let place: Place;
let gate: HttpGate;
let client: HttpClient;
let upstream: ScriptedUpstream;
let headers: Readonly<Record<string, string>>;
let workspace = '';

beforeAll(async () => {
  const tool = (name: string): string => JSON.stringify({ name, inputSchema: { type: 'object' } });
  const result = (count: number): string => `{"content":[],"structuredContent":{"a":${objects(count)}}}`;
  upstream = await openScripted('stdio', 'legacy', {
    lists: { 'tools/list': [tool('many'), tool('few')] },
    answers: { 'tools/call': { many: { result: result(many) }, few: { result: result(10) } } },
  });
  place = openPlace({
    builtins: ['Read', 'Edit', 'call_tool'],
    servers: { up: { ...upstream.entry, prefix: 'up_' } },
  });
  workspace = join(place.directory, 'workspace');
  writeFileSync(join(workspace, 'a.txt'), 'hello\n');
  gate = await openHttpGate(place);
  client = openHttpClient(gate.base);
  headers = await openLegacySession(client, {}, { authorization: `Bearer ${tokenOf(place)}` });
  await call('up_few', '{}');
}, 60_000);
afterAll(async () => {
  client.close();
  await gate.close();
  place.close();
  await upstream.close();
});

function call(name: string, argumentsText: string): Promise<Posted> {
  const body = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"${name}","arguments":${argumentsText}}}`;
  return client.send('/mcp', body, { headers, limitMs: 100_000 });
}

/** The answer, and the longest time in which the gateway answered no health check. */
async function watched(
  work: Promise<Posted>,
): Promise<{ readonly answer: Posted; readonly longest: number }> {
  const state = { isDone: false };
  const isDone = (): boolean => state.isDone;
  void work.catch(() => undefined).finally(() => (state.isDone = true));
  let longest = 0;
  while (!isDone()) {
    const began = performance.now();
    await (await fetch(`${gate.base}/healthz`)).text();
    longest = Math.max(longest, performance.now() - began);
  }
  return { answer: await work, longest };
}

describe('[15.10] a message with millions of values', () => {
  it.each([
    ['objects', '{},'],
    ['lists', '[],'],
    ['numbers', '1,'],
    ['texts', '"",'],
  ])('from a client is refused before it is parsed: %s', async (_kind, item) => {
    const { answer, longest } = await watched(call('nope', `{"a":[${item.repeat(many)}1]}`));
    expect(answer.text).toMatch(limitText);
    expect(answer.messages[0]?.id).toBe(7);
    expect(longest).toBeLessThan(limitMs);
  });

  it.each([
    ['in a text in the place of a list', 'Edit', { file_path: 'a.txt', edits: objects(many) }],
    [
      'in many texts that are each within the bound',
      'Edit',
      { file_path: 'a.txt', edits: Array.from({ length: 14 }, () => `{"a":${objects(95_000)}}`) },
    ],
    ['in a text for another tool', 'call_tool', { name: 'Read', arguments: `{"a":${objects(many)}}` }],
  ])('is refused as JSON %s', async (_where, tool, given) => {
    const { answer, longest } = await watched(call(tool, JSON.stringify(given)));
    expect(answer.text).toMatch(/input\.invalid|isError":true/);
    expect(longest).toBeLessThan(limitMs);
  });

  it('is refused with a reason if it has fewer values but all are invalid', async () => {
    const { text } = await call('Edit', `{"file_path":"a.txt","edits":[${'{},'.repeat(95_000)}{}]}`);
    expect(text).toContain('input.invalid');
  });

  it('is refused by the admin API', async () => {
    const work = client.send('/api/tools/Read/call', `{"a":${objects(manyForApi)}}`, {
      headers: { authorization: `Bearer ${tokenOf(place)}`, 'content-type': 'application/json' },
      limitMs: 100_000,
    });
    const { answer, longest } = await watched(work);
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(limitText);
    expect(longest).toBeLessThan(limitMs);
  });

  it('from a server fails only that call', async () => {
    const { answer, longest } = await watched(call('up_many', '{}'));
    expect(answer.text).toMatch(/provider\.malformed/);
    expect(longest).toBeLessThan(limitMs);
    expect((await call('up_few', '{}')).text).toContain('{},{},{}');
  });

  it('control: fewer values pass, and so do as many bytes in one string', async () => {
    expect((await call('nope', `{"a":${objects(50_000)}}`)).text).not.toMatch(limitText);
    expect((await call('nope', JSON.stringify({ a: objects(many) }))).text).not.toMatch(limitText);
  });

  it('control: with the settings of the gateway, parsing them takes longer than the tests allow', () => {
    const script = `
      const [text, began] = ['[' + '{},'.repeat(${String(many)}) + '1]', performance.now()];
      const value = JSON.parse(text);
      console.log(performance.now() - began, value.length);`;
    const flags = ['--semi-space-growth-factor=1', '--optimize-for-size'];
    const { stdout } = spawnSync(process.execPath, [...flags, '-e', script], { encoding: 'utf8' });
    expect(Number.parseFloat(stdout)).toBeGreaterThan(limitMs);
  });
});

describe('[15.10] a message with millions of line breaks or escapes', () => {
  const size = 15_000_000;

  it.each([
    ['line breaks', `{"a":1${'\n'.repeat(size)}}`],
    ['line breaks and spaces', `{"a":1${'\r\n \n'.repeat(size / 4)}}`],
    ['escaped quotes', `{"a":"${'\\"'.repeat(size / 2)}"}`],
  ])('does not hold up the others: %s', async (_kind, given) => {
    const { answer, longest } = await watched(call('nope', given));
    expect(answer.text).toContain('Unknown tool: nope');
    expect(longest).toBeLessThan(limitMs);
  });

  it('control: replacing each line break takes many times longer than replacing a run of them', () => {
    const script = `
      const text = '{' + '\\n'.repeat(${String(size)}) + '}';
      const timed = (pattern) => {
        const began = performance.now();
        text.replace(pattern, ' ');
        return performance.now() - began;
      };
      const runs = timed(/[\\r\\n][ \\t\\r\\n]*/g);
      console.log(timed(/[\\r\\n]/g) / runs);`;
    const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    expect(Number.parseFloat(stdout)).toBeGreaterThan(5);
  });
});

describe('[15.10] a notebook with millions of cells', () => {
  const notebook = (cells: string): string => `{"cells":${cells}}`;
  const read = (name: string): Promise<Posted> => call('Read', JSON.stringify({ file_path: name }));

  it.each([
    ['many.ipynb', objects(many)],
    ['long.ipynb', `[{"outputs":${objects(many)}}]`],
  ])('is shown as text, without delaying others: %s', async (name, cells) => {
    writeFileSync(join(workspace, name), notebook(cells));
    const { answer, longest } = await watched(read(name));
    expect(answer.text).toContain('shown as text');
    expect(answer.text).toContain('{},{},{}');
    expect(longest).toBeLessThan(limitMs);
  });

  it('control: a normal one is shown as cells', async () => {
    const cell = '{"cell_type":"code","source":["print(1)"],"outputs":[]}';
    writeFileSync(join(workspace, 'usual.ipynb'), notebook(`[${cell}]`));
    const { text } = await read('usual.ipynb');
    expect(text).toContain('cell 1 [code]');
    expect(text).not.toContain('shown as text');
  });
});
