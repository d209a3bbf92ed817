import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../support/free-port.js';
import { endProcess, type HttpGate, openHttpGate, openPlace, type Place, waitFor } from '../support/gate.js';
import { type HttpClient, openHttpClient, openLegacySession, type Posted } from '../support/http-client.js';
import { tokenOf } from '../support/raw-client.js';

let place: Place;
let gate: HttpGate;
let client: HttpClient;
let headers: Readonly<Record<string, string>>;
let workspace = '';

beforeAll(async () => {
  place = openPlace({ builtins: ['Read', 'Edit', 'call_tool'] });
  workspace = join(place.directory, 'workspace');
  mkdirSync(workspace, { recursive: true });
  gate = await openHttpGate(place);
  client = openHttpClient(gate.base);
  headers = await openLegacySession(client, {}, { authorization: `Bearer ${tokenOf(place)}` });
});
afterAll(async () => {
  client.close();
  await gate.close();
  place.close();
});

function call(name: string, argumentsText: string): Promise<Posted> {
  const body = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"${name}","arguments":${argumentsText}}}`;
  return client.send('/mcp', body, { headers, limitMs: 100_000 });
}

/** How many health checks are answered, one after the other, before the work is done. */
async function answeredDuring(base: string, work: Promise<unknown>): Promise<number> {
  const state = { isDone: false };
  const isDone = (): boolean => state.isDone;
  let answered = 0;
  void work.catch(() => undefined).finally(() => (state.isDone = true));
  while (!isDone()) {
    const { status } = await fetch(`${base}/healthz`);
    // An answer that the work held up until its own end does not count.
    await new Promise((resolve) => setImmediate(resolve));
    answered += isDone() || status !== 200 ? 0 : 1;
  }
  await work;
  return answered;
}

const manyPlaces = 3_000_000;
const some = 5;
const keys = (count: number): string =>
  Array.from({ length: count }, (_none, index) => `"k${String(index)}":0`).join(',');

describe('[15.10] one caller does not delay the others', () => {
  it('with an edit that has millions of matches on one line', async () => {
    writeFileSync(join(workspace, 'long.txt'), 'ab'.repeat(manyPlaces));
    const edit = { file_path: 'long.txt', old_string: 'ab', new_string: 'cd', replace_all: true };
    const work = call('Edit', JSON.stringify(edit));
    expect(await answeredDuring(gate.base, work)).toBeGreaterThan(some);
    expect((await work).text).toContain(`Changed in ${String(manyPlaces)} places`);
    expect(readFileSync(join(workspace, 'long.txt'), 'latin1')).toBe('cd'.repeat(manyPlaces));
  });

  it('with an edit that has millions of matches and may change one', async () => {
    writeFileSync(join(workspace, 'many.txt'), 'x'.repeat(manyPlaces));
    const { text } = await call('Edit', '{"file_path":"many.txt","old_string":"x","new_string":"y"}');
    expect(text).toContain(`${String(manyPlaces)} times`);
  });

  it('with an edit whose result would not fit into memory', async () => {
    writeFileSync(join(workspace, 'small.txt'), 'x'.repeat(100_000));
    const edit = {
      file_path: 'small.txt',
      old_string: 'x',
      new_string: 'y'.repeat(100_000),
      replace_all: true,
    };
    const { text } = await call('Edit', JSON.stringify(edit));
    expect(text).toContain('too_large');
    expect(readFileSync(join(workspace, 'small.txt'), 'latin1')).toBe('x'.repeat(100_000));
  });

  it('with an edit in a file with hundreds of changes among half a million lines', async () => {
    const line = (index: number): string => (index % 1500 === 0 ? '+\n' : '\n');
    writeFileSync(
      join(workspace, 'lines.txt'),
      Array.from({ length: 500_000 }, (_none, at) => line(at)).join(''),
    );
    const edit = { file_path: 'lines.txt', old_string: '+', new_string: '-', replace_all: true };
    const { text } = await call('Edit', JSON.stringify(edit));
    expect(text).toContain('Changed in 334 places');
  });

  it.each([
    ['in the message', (inner: string) => ['Read', `{"file_path":"a.txt",${inner}}`]],
    [
      'in a text in the place of a list',
      (inner: string) => ['Edit', JSON.stringify({ file_path: 'a.txt', edits: `[{${inner}}]` })],
    ],
    [
      'in a text for another tool',
      (inner: string) => [
        'call_tool',
        JSON.stringify({ name: 'Read', arguments: `{"file_path":"a.txt",${inner}}` }),
      ],
    ],
  ] as const)('with 700,000 unknown arguments %s', async (_where, asArguments) => {
    writeFileSync(join(workspace, 'a.txt'), 'hello\n');
    const [name = '', text = ''] = asArguments(keys(700_000));
    const refused = await call(name, text);
    expect(refused.text).toMatch(/more than 100000 object keys|input\.invalid|isError":true/);
    expect(refused.text).not.toContain('hello');
    expect(refused.messages[0]?.id).toBe(7);
  });

  it.each([
    ['objects', '{}', 5_000_000],
    ['lists', '[]', 5_000_000],
    ['numbers', '1', 7_000_000],
  ] as const)('with millions of empty %s, in a message with few keys', async (_what, item, count) => {
    const text = `{"file_path":"a.txt","a":[${`${item},`.repeat(count)}1]}`;
    const began = performance.now();
    const refused = await call('Read', text);
    expect(refused.text).toMatch(/Send less at once/);
    expect(performance.now() - began).toBeLessThan(4000);
    // Control: a few of them are no matter.
    writeFileSync(join(workspace, 'a.txt'), 'hello\n');
    expect((await call('Read', `{"file_path":"a.txt","offset":1}`)).text).toContain('hello');
  });

  it('control: the same measurement detects a process blocked by one request', async () => {
    const port = await freePort();
    const script = `
      require('node:http').createServer((request, response) => {
        if (request.url === '/healthz') return response.end();
        request.resume().on('end', () => {
          const text = 'ab'.repeat(40000);
          let found = 0;
          for (let at = text.indexOf('ab'); at !== -1; at = text.indexOf('ab', at + 2)) {
            if (!text.includes('\\n') && text.indexOf('\\n', at) === -1) found += 1;
          }
          response.end(String(found));
        });
      }).listen(${String(port)}, '127.0.0.1');`;
    const child = spawn(process.execPath, ['-e', script]);
    onTestFinished(() => endProcess(child));
    await once(child, 'spawn');
    const base = `http://127.0.0.1:${String(port)}`;
    await waitFor(
      async () => (await fetch(`${base}/healthz`)).ok,
      20_000,
      () => 'the control did not start',
    );
    const work = fetch(`${base}/edit`, { method: 'POST', body: '' }).then((answer) => answer.text());
    expect(await answeredDuring(base, work)).toBeLessThanOrEqual(some);
  });
});
