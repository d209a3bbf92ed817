import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CancellingCaller, openHttpCaller, openStdioCaller } from '../support/cancelling-callers.js';
import { type CancelReport, runCancellations } from '../support/cancelling.js';
import { count } from '../support/counts.js';
import {
  type HttpGate,
  openHttpGate,
  openPlace,
  type Place,
  spawnStdioGate,
  waitFor,
} from '../support/gate.js';
import { nodeServer, spawnFixture } from '../support/hostile-servers.js';
import { openHttpClient, openLegacySession } from '../support/http-client.js';
import { requestLine, textOfResult } from '../support/line-client.js';
import { createRandom } from '../support/random.js';

const calls = count(10_000) / 4;
const upstreams = [
  { prefix: 'old_', isOrdered: true },
  { prefix: 'new_', isOrdered: true },
  { prefix: 'far_', isOrdered: false },
];
const holding = fileURLToPath(new URL('../fixtures/servers/holding-server.mjs', import.meta.url));
const random = createRandom();

let far: { readonly child: ChildProcess; readonly url: string };
let place: Place;
let gate: HttpGate;

beforeAll(async () => {
  far = await openFar();
  place = openPlace({
    servers: {
      old: { ...nodeServer('holding-server.mjs'), env: { HOLDING_ERA: 'legacy' } },
      new: { ...nodeServer('holding-server.mjs'), env: { HOLDING_ERA: 'modern' } },
      far: { url: far.url },
    },
    http: { auth: 'none' },
    log: { level: 'error' },
  });
  gate = await openHttpGate(place);
});

afterAll(async () => {
  await gate.close();
  far.child.kill('SIGKILL');
  place.close();
});

async function openFar(): Promise<typeof far> {
  const child = spawn(process.execPath, [holding, '--http', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  await waitFor(
    () => /http:\S+/.test(said),
    20_000,
    () => `the upstream did not start: ${said}`,
  );
  return { child, url: /http:\S+/.exec(said)?.[0] ?? '' };
}

const at = (sorted: readonly number[], share: number): string =>
  String(sorted[Math.floor(sorted.length * share)] ?? '-');

function tell(who: string, { calls, cancels, met, milliseconds, violations }: CancelReport): void {
  console.log(
    `${who}: n=${String(calls)} calls, ${String(cancels)} cancelled, ${String(met)} while open upstream, ` +
      `p50 ${at(milliseconds, 0.5)} ms, p99 ${at(milliseconds, 0.99)} ms, ` +
      `${String(violations.length)} violations (seed ${String(random.seed)})`,
  );
  for (const violation of violations.slice(0, 10)) console.log(violation);
}

describe('cancelling at random points with three servers', () => {
  const ways: readonly (readonly [string, () => Promise<CancellingCaller>])[] = [
    ['a legacy client over stdio', () => openStdioCaller(spawnStdioGate(place), 'legacy')],
    ['a modern client over stdio', () => openStdioCaller(spawnStdioGate(place), 'modern')],
    ['a legacy client over HTTP', () => openHttpCaller(gate.base, 'legacy')],
    ['a modern client over HTTP', () => openHttpCaller(gate.base, 'modern')],
  ];

  it.each(ways)(
    'reaches the right server with the right id, and nothing arrives late: %s',
    async (who, open) => {
      const caller = await open();
      const report = await runCancellations(caller, upstreams, calls, random);
      tell(who, report);
      expect(report.violations).toEqual([]);
      expect(report.met).toBeGreaterThan(calls / 25);
      // Alone, so that what is measured is the way and not the queue.
      const alone = await runCancellations(caller, upstreams, count(500), random, 1);
      tell(`${who}, one at a time`, alone);
      await caller.close();
      expect(alone.violations).toEqual([]);
      expect(Number(at(alone.milliseconds, 0.5))).toBeLessThanOrEqual(100);
    },
  );

  it('does not overtake its call to a busy server over HTTP', async () => {
    const caller = await openStdioCaller(spawnStdioGate(place), 'legacy');
    await caller.ask('far_ledger', { isLast: true });
    const rounds = count(300);
    for (let round = 1; round <= rounds; round += 1) {
      const blocked = caller.ask('far_block', { ms: 10 });
      const call = { id: round, tool: 'far_hold', args: { mark: `busy ${String(round)}` } };
      caller.start({ ...call, wantsProgress: false, isCancelledAtOnce: false, heard: () => undefined });
      setTimeout(() => caller.cancel(round), random.below(8));
      await blocked;
    }
    const read = async (): Promise<{ readonly open: number }> =>
      JSON.parse(textOfResult(await caller.ask('far_ledger', {}))) as { readonly open: number };
    await expect.poll(async () => (await read()).open, { timeout: 3000 }).toBe(0);
    console.log(`cancelled in front of a busy server: n=${String(rounds)}`);
    await caller.close();
  });

  it('control: a relay that forwards no cancellation fails the same check', async () => {
    const relay = spawnFixture('relay-without-cancel.mjs', holding);
    const caller = await openStdioCaller(relay, 'legacy');
    const report = await runCancellations(caller, [{ prefix: '', isOrdered: true }], 50, random);
    tell('control', report);
    await caller.close();
    expect(report.met).toBe(0);
    expect(report.violations.join('\n')).toContain('the upstream was not told');
    expect(report.violations.join('\n')).toContain('stayed open');
  });
});

describe('a call is not cancelled by', () => {
  it('an id of another type: "5" is not 5', async () => {
    const client = openHttpClient(gate.base);
    const headers = await openLegacySession(client);
    const params = { name: 'old_hold', arguments: { mark: 'kind', ms: 150 } };
    const answer = client.send('/mcp', requestLine('5', 'tools/call', params), { headers });
    for (const requestId of ['5', 5.5, '05', null, [5]]) {
      const text = JSON.stringify({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId },
      });
      await client.send('/mcp', text, { headers });
    }
    expect(textOfResult((await answer).messages.at(-1) ?? {})).toBe('kind: held');
    client.close();
  });

  it('the same id in another session', async () => {
    const client = openHttpClient(gate.base);
    const [mine, theirs] = [await openLegacySession(client), await openLegacySession(client)];
    const params = { name: 'far_hold', arguments: { mark: 'mine', ms: 150 } };
    const answer = client.send('/mcp', requestLine('5', 'tools/call', params), { headers: mine });
    const text = JSON.stringify({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 5 },
    });
    await client.send('/mcp', text, { headers: theirs });
    expect(textOfResult((await answer).messages.at(-1) ?? {})).toBe('mine: held');
    client.close();
  });

  it('a legacy client that loses its connection', async () => {
    const client = openHttpClient(gate.base);
    const headers = await openLegacySession(client);
    const cut = new AbortController();
    const params = { name: 'old_hold', arguments: { mark: 'cut', ms: 200 }, _meta: { progressToken: 'p' } };
    const sent = client.send('/mcp', requestLine('6', 'tools/call', params), {
      headers,
      signal: cut.signal,
      onMessage: () => cut.abort(),
    });
    await expect(sent).rejects.toThrow();
    const ledger = async (): Promise<string> => {
      const asked = { name: 'old_ledger', arguments: {} };
      const { messages } = await client.send('/mcp', requestLine('7', 'tools/call', asked), { headers });
      return textOfResult(messages.at(-1) ?? {});
    };
    await waitFor(
      async () => (await ledger()).includes('"ended","id"') && (await ledger()).includes('"mark":"cut"'),
      5000,
      () => 'the call did not come to its end',
    );
    expect(await ledger()).not.toContain('cancel');
    client.close();
  });
});
