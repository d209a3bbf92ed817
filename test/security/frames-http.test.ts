import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import { type HttpGate, openHttpGate, openPlace, type Place } from '../support/gate.js';
import { markedServer } from '../support/hostile-servers.js';
import { type HttpClient, modernHeaders, openHttpClient, openLegacySession } from '../support/http-client.js';
import { requestLine, textOfResult } from '../support/line-client.js';
import { createRandom } from '../support/random.js';
import { readJsonTestSuite, readNaughtyStrings } from '../support/test-data.js';
import { isOwed, mutate, owedTo, type RealMessage, realMessages } from './frames.js';

const random = createRandom();
const suite = readJsonTestSuite();
const naughty = readNaughtyStrings();
const atOnce = 8;
let place: Place;
let gate: HttpGate;
let client: HttpClient;
let session: Readonly<Record<string, string>>;
let lastId = 1000;
const nextId = (): number => (lastId += 1);

beforeAll(async () => {
  const servers = { up: { ...markedServer(), prefix: '' } };
  place = openPlace({ servers, http: { auth: 'none' }, log: { level: 'error' } });
  gate = await openHttpGate(place);
  client = openHttpClient(gate.base);
  session = await openLegacySession(client);
});

afterAll(async () => {
  client.close();
  await gate.close();
  place.close();
});

describe('frames over HTTP', () => {
  it('answers damaged messages as JSON-RPC requires, and the next request each time', async () => {
    const frames = Array.from({ length: count(10_000) }, (_, at) => {
      const real = realMessages('echo', nextId);
      const base = real[at % real.length];
      if (base === undefined) throw new Error('no message');
      return { base, bytes: mutate(Buffer.from(base.text), random) };
    });
    console.log(`frames over HTTP: n=${String(frames.length)} seed=${String(random.seed)}`);
    await each(frames, ({ base, bytes }) => expectOwed(bytes, headersOf(base), ''));
  });

  it.skipIf(suite.found === undefined)(
    `answers JSONTestSuite, bare and as params ${suite.reason}`,
    async () => {
      const cases = [...(suite.found ?? [])].flatMap(([name, bytes]) => {
        const head = `{"jsonrpc":"2.0","id":${String(nextId())},"method":"ping","params":`;
        const inside = Buffer.concat([Buffer.from(head), bytes, Buffer.from('}')]);
        return [
          { name, bytes },
          { name: `${name} as params`, bytes: inside },
        ];
      });
      await each(cases, ({ name, bytes }) => expectOwed(bytes, session, name));
      console.log(`JSONTestSuite over HTTP: n=${String(cases.length)}`);
      expect(cases.length).toBeGreaterThan(600);
    },
  );

  it.skipIf(naughty.found === undefined)(`returns naughty strings unchanged ${naughty.reason}`, async () => {
    await each(naughty.found ?? [], async (words) => {
      const id = JSON.stringify(`${words}${String(nextId())}`);
      const call = requestLine(id, 'tools/call', { name: 'echo', arguments: { mark: 'm', text: words } });
      const { messages } = await client.send('/mcp', call, { headers: session });
      expect(messages.map(textOfResult)).toEqual([`m:${words}`]);
      expect(messages[0]?.id).toBe(JSON.parse(id));
      const unknown = requestLine(id, words === 'ping' ? 'x' : words, { name: words });
      const { messages: refused } = await client.send('/mcp', unknown, { headers: session });
      expect(refused.map(({ error }) => error?.code)).toEqual([-32601]);
    });
    console.log(`naughty strings over HTTP: n=${String((naughty.found ?? []).length)}`);
  });

  it('survives a request cut off anywhere, and reads one in two pieces', async () => {
    const body = requestLine('"日本👩‍👧"', 'ping');
    const head = Object.entries({ ...session, host: new URL(gate.base).host, connection: 'close' });
    const lines = head.map(([name, value]) => `${name}: ${value}`).join('\r\n');
    const length = String(Buffer.byteLength(body));
    const whole = Buffer.from(`POST /mcp HTTP/1.1\r\n${lines}\r\ncontent-length: ${length}\r\n\r\n${body}`);
    const cuts = Array.from({ length: whole.length - 1 }, (_, at) => at + 1);
    await each(cuts, async (at) => {
      await sendRaw([whole.subarray(0, at)], 'abandon');
      const answer = await sendRaw([whole.subarray(0, at), whole.subarray(at)], 'read');
      expect(answer).toContain('"id":"日本👩‍👧","result":{}');
    });
    await expectPing();
    console.log(`cuts over HTTP: n=${String(cuts.length)}`);
  });

  it.each(['9007199254740993', '-1', '0', '""', '"\\u0061\\n"'])('returns the id %s', async (id) => {
    const { text } = await client.send('/mcp', requestLine(id, 'ping'), { headers: session });
    expect(text).toContain(`"id":${id},"result":{}`);
  });

  it.each(['null', '1.5', '1e3', '[]', 'true'])('refuses the id %s', async (id) => {
    const { status, messages } = await client.send('/mcp', requestLine(id, 'ping'), { headers: session });
    expect({ status, code: messages[0]?.error?.code, id: messages[0]?.id }).toEqual({
      status: 400,
      code: -32600,
      id: null,
    });
  });

  it('refuses an id that is in flight in the same session', async () => {
    const slow = { name: 'echo', arguments: { mark: 'm', text: 'slow', ms: 300 } };
    const send = () => client.send('/mcp', requestLine('7', 'tools/call', slow), { headers: session });
    const answers = (await Promise.all([send(), send()])).map(({ messages }) => messages[0]);
    expect(answers.map((message) => message?.error?.code ?? 0).sort()).toEqual([-32600, 0].sort());
    expect((await send()).messages.map(textOfResult)).toEqual(['m:slow']);
  });

  it('refuses bodies nested 100,000 levels deep', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    await expectOwed(Buffer.from(deep), session, 'deep');
    await expectOwed(
      Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${deep}}}`),
      session,
      '',
    );
  });
});

async function each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const rest = [...all];
  const worker = async (): Promise<void> => {
    for (let one = rest.shift(); one !== undefined; one = rest.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

function headersOf(message: RealMessage): Readonly<Record<string, string>> {
  return message.protocol === 'legacy' ? session : modernHeaders(message.method, message.name);
}

async function expectOwed(
  bytes: Buffer,
  headers: Readonly<Record<string, string>>,
  name: string,
): Promise<void> {
  const owed = owedTo(bytes);
  const label = `${name} ${bytes.toString('latin1').slice(0, 300)} seed=${String(random.seed)}`;
  const { status, messages, text } = await client.send('/mcp', bytes, { headers });
  if (owed.kind === 'nothing') {
    // A response belongs to a legacy session; without one there is nobody to take it.
    const isTaken = status === 202 && text === '';
    expect(isTaken || (status === 400 && headers !== session), `${label} ${text}`).toBe(true);
  } else {
    expect(
      messages.map((message) => isOwed(owed, message)),
      `${label} ${text}`,
    ).toEqual([true]);
    if (owed.kind === 'error') expect(status, label).toBe(400);
  }
  await expectPing();
}

async function expectPing(): Promise<void> {
  const id = `"ping-${String(nextId())}"`;
  const { status, text } = await client.send('/mcp', requestLine(id, 'ping'), { headers: session });
  expect({ status, text }).toEqual({ status: 200, text: `{"jsonrpc":"2.0","id":${id},"result":{}}` });
}

/** Sends bytes over a connection of their own, then leaves at once or reads until the gate closes it. */
function sendRaw(parts: readonly Buffer[], then: 'abandon' | 'read'): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(gate.base);
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.setEncoding('utf8');
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer')));
    socket.on('data', (text: string) => (answer += text));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
    socket.on('connect', () => {
      void (async () => {
        for (const part of parts) {
          await new Promise((sent) => socket.write(part, sent));
          await new Promise((resolvePause) => setTimeout(resolvePause, 1));
        }
        if (then === 'abandon') socket.destroy();
      })();
    });
  });
}
