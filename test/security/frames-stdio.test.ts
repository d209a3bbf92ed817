import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import { endProcess, openPlace, type Place, spawnStdioGate } from '../support/gate.js';
import { markedServer, sdkServer } from '../support/hostile-servers.js';
import {
  type LineClient,
  openLineClient,
  type Received,
  requestLine,
  textOfResult,
} from '../support/line-client.js';
import { createRandom } from '../support/random.js';
import { readJsonTestSuite, readNaughtyStrings } from '../support/test-data.js';
import { isOwed, mutate, type Owed, owedTo, realMessages } from './frames.js';

const random = createRandom();
const suite = readJsonTestSuite();
const naughty = readNaughtyStrings();
let place: Place;
let client: LineClient;
let lastId = 1000;
const nextId = (): number => (lastId += 1);

beforeAll(async () => {
  place = openPlace({ servers: { up: { ...markedServer(), prefix: '' } }, log: { level: 'error' } });
  client = openLineClient(spawnStdioGate(place));
  await client.initialize();
  await client.request('tools/list');
});

afterAll(async () => {
  await endProcess(client.child);
  place.close();
});

describe('frames over stdio', () => {
  it('answers damaged messages as JSON-RPC requires, and the next request each time', async () => {
    const frames = Array.from({ length: count(10_000) }, (_, at) => {
      const real = realMessages('echo', nextId);
      return mutate(Buffer.from(real[at % real.length]?.text ?? ''), random);
    });
    console.log(`frames over stdio: n=${String(frames.length)} seed=${String(random.seed)}`);
    for (const frame of frames) await expectOwed(client, frame);
  });

  it.skipIf(suite.found === undefined)(
    `answers JSONTestSuite, bare and as params ${suite.reason}`,
    async () => {
      let frames = 0;
      for (const [name, bytes] of suite.found ?? []) {
        const flat = Buffer.from(bytes.map((byte) => (byte === 10 || byte === 13 ? 32 : byte)));
        const [head, tail] = [`{"jsonrpc":"2.0","id":${String(nextId())},"method":"ping","params":`, '}'];
        const inside = Buffer.concat([Buffer.from(head), flat, Buffer.from(tail)]);
        await expectOwed(client, flat, name);
        await expectOwed(client, inside, `${name} as params`);
        frames += 2;
      }
      console.log(`JSONTestSuite over stdio: n=${String(frames)}`);
      expect(frames).toBeGreaterThan(600);
    },
  );

  it.skipIf(naughty.found === undefined)(`returns naughty strings unchanged ${naughty.reason}`, async () => {
    for (const words of naughty.found ?? []) {
      const { message } = await client.request('tools/call', {
        name: 'echo',
        arguments: { mark: 'm', text: words },
      });
      expect(textOfResult(message)).toBe(`m:${words}`);
      const id = JSON.stringify(`${words}${String(nextId())}`);
      expect((await client.ask(id, `${requestLine(id, 'ping')}\n`)).message.result).toEqual({});
      const unknown = await client.request(words === 'ping' ? 'x' : words, { name: words });
      expect(unknown.message.error?.code).toBe(-32601);
    }
    console.log(`naughty strings over stdio: n=${String((naughty.found ?? []).length)}`);
    expect(client.unclaimed.filter(({ message }) => message.method === undefined)).toEqual([]);
  });

  it('gives the same answers wherever a stream is split', async () => {
    const stream = Buffer.from(
      [
        requestLine('"ä👩‍👧"', 'tools/call', { name: 'echo', arguments: { mark: '日本', text: '𝄞 naïve' } }),
        '{"jsonrpc":"2.0","id":null,"method":"ping"}\r',
        '',
        'not json €',
        requestLine('9007199254740993', 'ping'),
        '',
      ].join('\n'),
    );
    const whole = await answersTo(stream, [stream.length]);
    expect(whole).toHaveLength(4);
    for (let at = 1; at < stream.length; at += 1) expect(await answersTo(stream, [at])).toEqual(whole);
    const each = Array.from({ length: stream.length - 1 }, (_, at) => at + 1);
    expect(await answersTo(stream, each)).toEqual(whole);
    console.log(`cuts over stdio: n=${String(stream.length)}`);
  });

  it('exits cleanly wherever the stream ends', async () => {
    const stream = Buffer.from(`${requestLine('1', 'ping')}\n{"jsonrpc":"2.0","id":2,"method":"日本"}\n`);
    const cuts = Array.from({ length: count(stream.length) }, () => random.below(stream.length + 1));
    for (const at of cuts) {
      const short = openLineClient(spawnStdioGate(place));
      short.child.stdin.end(stream.subarray(0, at));
      expect(await short.ended).toEqual({ code: 0, signal: null });
      expect(short.broken).toEqual([]);
    }
    console.log(`ends over stdio: n=${String(cuts.length)} seed=${String(random.seed)}`);
  });

  it.each([
    ['beyond 2^53', '9007199254740993'],
    ['far beyond 2^53', '-123456789012345678901234567890'],
    ['negative', '-1'],
    ['zero', '0'],
    ['an empty string', '""'],
    ['a string with escapes', '"\\u0061\\n\\ud83d\\ude00\\ud800"'],
    ['a string that looks like a number', '"1"'],
    ['a very long string', JSON.stringify('x'.repeat(100_000))],
  ])('returns an id that is %s as written', async (_kind, id) => {
    const call = { name: 'echo', arguments: { mark: 'id', text: 'ok' } };
    const [ping, answer] = await Promise.all([
      client.ask(id, `${requestLine(id, 'ping')}\n`),
      client.request('tools/call', call),
    ]);
    expect(ping.message.result).toEqual({});
    expect(textOfResult(answer.message)).toBe('id:ok');
    const called = await client.ask(id, `${requestLine(id, 'tools/call', call)}\n`);
    expect(textOfResult(called.message)).toBe('id:ok');
  });

  it.each(['null', '1.5', '1e3', '[]', '{}', 'true'])('refuses the id %s', async (id) => {
    const { message } = await client.ask('null', `${requestLine(id, 'ping')}\n`);
    expect(message.error?.code).toBe(-32600);
  });

  it('refuses an id in flight, and accepts it again afterwards', async () => {
    const slow = { name: 'echo', arguments: { mark: 'first', text: 'slow', ms: 300 } };
    const line = `${requestLine('4242', 'tools/call', slow)}\n`;
    const first = await client.ask('4242', `${line}${line}`);
    expect(first.message.error?.code).toBe(-32600);
    await expect.poll(() => client.unclaimed.length, { timeout: 5000 }).toBe(1);
    expect(client.unclaimed.splice(0).map(({ message }) => textOfResult(message))).toEqual(['first:slow']);
    const again = await client.ask('4242', line);
    expect(textOfResult(again.message)).toBe('first:slow');
  });

  it('refuses messages nested 100,000 and a million levels deep', async () => {
    for (const depth of [1001, 100_000, 1_000_000]) {
      const deep = '['.repeat(depth) + ']'.repeat(depth);
      await expectOwed(client, Buffer.from(deep), `depth ${String(depth)}`, -32700);
      await expectOwed(client, Buffer.from('{"a":'.repeat(depth)), `open depth ${String(depth)}`, -32700);
      await expectOwed(
        client,
        Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${deep}}}`),
      );
    }
  });

  it('printed only JSON, and exactly one answer per request', () => {
    expect(client.broken).toEqual([]);
    expect(client.unclaimed.filter(({ message }) => message.method === undefined)).toEqual([]);
    expect(client.isOver).toBe(false);
  });
});

describe('control: the bare SDK over stdio', () => {
  it('leaves damaged messages unanswered', async () => {
    const control = openLineClient(sdkServer());
    await control.initialize();
    await expect(expectOwed(control, Buffer.from('not json'), undefined, -32700, 1000)).rejects.toThrow();
    await expect(
      expectOwed(control, Buffer.from(requestLine('9007199254740993', 'ping')), undefined, 0, 1000),
    ).rejects.toThrow();
    await endProcess(control.child);
  });
});

/** Sends a frame and a ping; both must be answered as owed, and nothing else may come. */
async function expectOwed(
  on: LineClient,
  frame: Buffer,
  name = '',
  code?: number,
  limitMs = 10_000,
): Promise<void> {
  const owed = splitLines(frame).map(owedTo);
  if (code !== undefined && code !== 0) expect(owed).toMatchObject([{ kind: 'error', codes: [code] }]);
  const from = on.unclaimed.length;
  const label = `${name} ${frame.toString('latin1').slice(0, 300)} seed=${String(random.seed)}`;
  const open = owed.filter(({ kind }) => kind !== 'nothing');
  on.send(Buffer.concat([frame, Buffer.from('\n')]));
  const { message } = await on.request('ping', undefined, limitMs);
  expect(message.result, label).toEqual({});
  const answers = (): readonly Received[] =>
    on.unclaimed.slice(from).filter((line) => line.message.method === undefined);
  const until = performance.now() + limitMs;
  while (answers().length < open.length && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const missing = unmatched(open, answers());
  expect(missing, label).toEqual([]);
  on.unclaimed.splice(from, open.length);
}

function unmatched(owed: readonly Owed[], answers: readonly Received[]): readonly unknown[] {
  const rest = [...answers];
  const missing = owed.filter((one) => {
    const at = rest.findIndex(({ message }) => isOwed(one, message));
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
  return [...missing, ...rest.map(({ text }) => `not owed: ${text}`)];
}

function splitLines(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
    lines.push(bytes.subarray(from, at));
    from = at + 1;
  }
  return [...lines, bytes.subarray(from)].filter((line) => !/^[ \t\r]*$/.test(line.toString('latin1')));
}

/** What comes back for a stream that is sent in pieces, in the order of the texts. */
async function answersTo(stream: Buffer, cuts: readonly number[]): Promise<readonly string[]> {
  const from = client.unclaimed.length;
  let sent = 0;
  for (const at of [...cuts, stream.length]) {
    client.send(stream.subarray(sent, at));
    sent = at;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await expect.poll(() => client.unclaimed.length - from, { timeout: 5000, interval: 1 }).toBe(4);
  return client.unclaimed
    .splice(from)
    .map(({ text }) => text)
    .sort();
}
