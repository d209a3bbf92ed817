import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { count } from '../support/counts.js';
import { type HttpGate, openHttpGate, openPlace, type Place } from '../support/gate.js';
import { markedServer, spawnFixture } from '../support/hostile-servers.js';
import { createRandom } from '../support/random.js';
import { type MarkedClient, openViaCallTool, openLegacyHttp, openModernHttp } from './marked-clients.js';

const random = createRandom();
let place: Place;
let gate: HttpGate;

beforeAll(async () => {
  const servers = { up: { ...markedServer(), prefix: '' } };
  place = openPlace({ servers, http: { auth: 'none' }, log: { level: 'error' } });
  gate = await openHttpGate(place);
});

afterAll(async () => {
  await gate.close();
  place.close();
});

describe('the messages of one client', () => {
  it('never reach another: answers, progress and logs, same ids, random disconnects', async () => {
    const clients = await openClients();
    const calls = count(1000);
    let answered = 0;
    let left = 0;
    await Promise.all(
      clients.map(async (client) => {
        // A bridge that leaves takes its process with it: rarely, but often enough.
        const leaving = client.kind.endsWith('stdio') ? 2 / calls : 0.05;
        for (let call = 0; call < calls; call += 1) {
          if (random.chance(leaving)) {
            await client.abandon('echo', { text: `${client.mark} `.repeat(20), ms: random.below(5) });
            left += 1;
          } else if (await oneCall(client)) answered += 1;
        }
      }),
    );
    const n = clients.length * calls;
    const texts = clients.reduce((sum, client) => sum + client.seen(), 0);
    console.log(
      `leak: ${String(clients.length)} clients × ${String(calls)} calls, ${String(texts)} texts, ` +
        `${String(left)} left early, seed=${String(random.seed)}`,
    );
    expect(answered).toBe(n - left);
    await closeAll(clients);
    await expectOneChild();
  });

  it('never reach another when a shared server asks questions', async () => {
    const clients = await openClients();
    const calls = count(50);
    let answered = 0;
    let refused = 0;
    await Promise.all(
      clients.map(async (client) => {
        for (let call = 0; call < calls; call += 1) {
          const text = await client.call('ask', { ms: random.below(3) });
          if (text === `${client.mark}:answered ${client.mark}`) answered += 1;
          else if (text === `${client.mark}:refused`) refused += 1;
          else throw new Error(`${client.kind} got ${String(text)}`);
          await oneCall(client);
        }
      }),
    );
    const n = clients.length * calls;
    console.log(`questions: n=${String(n)}, answered ${String(answered)}, refused ${String(refused)}`);
    expect(answered + refused).toBe(n);
    // Only the first few, before the gate knew that this server asks, could not be attributed.
    expect(answered).toBeGreaterThan(n / 2);
    await closeAll(clients);
    await expectOneChild();
  });

  it.each([
    ['a log line while its question is open', 'ask', { murmurMs: 20 }],
    ['a log line right after its answer', 'talk', { lateMs: 0, times: 1 }],
    ['a log line long after its answer, of a server known for it', 'talk', { lateMs: 100, times: 1 }],
    ['a question that comes while the other waits', 'ask', { ms: 60 }],
  ] as const)('never reach another with the same token: %s', async (_what, tool, args) => {
    for (const open of [openLegacyHttp, openModernHttp]) {
      const fresh = await openHttpGate(place);
      onTestFinished(() => fresh.close());
      const one = await open(fresh, createMark(1), 300);
      const other = await open(fresh, createMark(2));
      await other.call('echo', { text: 'the server runs now' });
      // Alone at first, so that the gate sees what kind of server this is.
      await one.call(tool, args);
      await pause(150);
      const talking = one.call(tool, args);
      await pause(30);
      for (const ms of [50, 100, 150, 200]) {
        const said = await other.call('echo', { ms, text: '' });
        // A server that speaks of several at once is used by one at a time, so this may take longer, but it ends.
        expect(said).toBe(`${other.mark}:`);
      }
      await talking;
      await closeAll([one, other]);
      await fresh.close();
    }
  });
});

describe('control: a relay that answers by id', () => {
  it('is caught by the same checker', async () => {
    const relay = spawnFixture('leaky-relay.mjs');
    const [port] = (await once(relay.stdout, 'data')) as [Buffer];
    const base = `http://127.0.0.1:${port.toString().trim()}`;
    const clients = await Promise.all(
      Array.from({ length: 10 }, (_, at) => openModernHttp({ base }, createMark(at))),
    );
    await Promise.all(
      clients.map(async (client) => {
        for (let call = 0; call < 20; call += 1)
          await client.call('echo', { text: 'x', ms: random.below(5) });
      }),
    );
    const foreign = clients.flatMap((client) => client.foreign);
    console.log(`control: ${String(foreign.length)} foreign texts in 200 calls`);
    expect(foreign.length).toBeGreaterThan(0);
    for (const client of clients) await client.close();
  });
});

function createMark(at: number): string {
  return `mk-${String(at)}-${Math.floor(random.next() * 2 ** 40).toString(36)}`;
}

/** Fifty clients of every kind, all onto the one gate and its one child. */
async function openClients(): Promise<readonly MarkedClient[]> {
  const kinds = [
    ...Array<typeof openLegacyHttp>(21).fill(openLegacyHttp),
    ...Array<typeof openModernHttp>(21).fill(openModernHttp),
  ].map((open) => (mark: string) => open(gate, mark));
  const viaCallTool = (['legacy', 'modern'] as const).flatMap((protocol) =>
    Array.from({ length: 4 }, () => (mark: string) => openViaCallTool(place, gate, mark, protocol)),
  );
  return Promise.all([...kinds, ...viaCallTool].map((open, at) => open(createMark(at))));
}

/** One call whose whole answer must be the client's own. */
async function oneCall(client: MarkedClient): Promise<boolean> {
  if (random.chance(0.2)) {
    const said = await client.call('talk', { times: 1 + random.below(3), ms: 1 });
    if (said !== `${client.mark}:talked`)
      throw new Error(`${client.kind} ${client.mark} got ${String(said)}`);
    return true;
  }
  const text = `${client.mark} `.repeat(random.below(100));
  const said = await client.call('echo', { text, ms: random.below(3) });
  if (said !== `${client.mark}:${text}`) throw new Error(`${client.kind} ${client.mark} got ${String(said)}`);
  return true;
}

async function closeAll(clients: readonly MarkedClient[]): Promise<void> {
  // What comes late counts too.
  await pause(200);
  const foreign = clients.flatMap(({ kind, mark, foreign: texts }) =>
    texts.map((text) => ({ kind, mark, text })),
  );
  expect(foreign).toEqual([]);
  for (const client of clients) await client.close();
}

async function expectOneChild(): Promise<void> {
  const { servers } = (await (await fetch(`${gate.base}/api/servers`)).json()) as {
    readonly servers: readonly { readonly state: string; readonly restarts: number }[];
  };
  expect(servers).toMatchObject([{ state: 'ready', restarts: 0 }]);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
