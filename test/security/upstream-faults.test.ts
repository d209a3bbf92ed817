import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import { type Caller, livesOf, openFiles, openHttpCaller, openLineCaller } from '../support/fault-callers.js';
import { type HttpFault, httpFaults, openFaultyEndpoint } from '../support/faulty-endpoint.js';
import { endProcess, openPlace, type Place, waitFor } from '../support/gate.js';
import { markedServer, nodeServer, spawnFixture } from '../support/hostile-servers.js';
import { openLineClient } from '../support/line-client.js';
import { hasProc, memoryOf } from '../support/proc.js';
import { createRandom } from '../support/random.js';

const timeout = 1000;
/** A call may wait for its server to start, and then for its answer. */
const limitMs = 2 * timeout + 3000;
const random = createRandom();
const megabyte = 1024 * 1024;
const gone = ['provider.lost', 'provider.unavailable', 'provider.starting'] as const;

/** What a call to a server with this fault may come to; `mark`: its own result. */
const stdioFaults: Readonly<Record<string, readonly string[]>> = {
  ok: ['mark'],
  crash: gone,
  killed: gone,
  half: gone,
  after: ['mark', ...gone],
  litter: gone,
  hang: ['call.timeout'],
  late: ['call.timeout'],
  utf8: ['call.timeout', 'provider.malformed'],
  garbage: ['mark'],
  stderr: ['mark'],
  twice: ['mark'],
  unknown: ['mark'],
  empty: ['provider.malformed'],
};

const unread = ['provider.malformed', 'provider.lost'];
const endpointFaults: Readonly<Record<HttpFault, readonly string[]>> = {
  reset: gone,
  'status-500': gone,
  'status-503': gone,
  'cut-json': gone,
  'cut-events': gone,
  'cut-inside-event': unread,
  'no-answer-events': gone,
  html: unread,
  'wrong-type': unread,
  'not-utf8': unread,
  'foreign-id': unread,
  twice: ['mark'],
  'slow-headers': ['call.timeout'],
  'endless-body': [...unread, 'call.timeout'],
  'endless-events': ['call.timeout'],
  redirect: gone,
  'redirect-loop': gone,
  'lost-session': gone,
};

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});
function keep<T extends { close(): unknown }>(one: T): T {
  opened.push(one);
  return one;
}

function openFaultPlace(servers: Readonly<Record<string, object>>): Place {
  const entries = Object.entries(servers).map(([name, entry]) => [name, { timeout, ...entry }]);
  const all = { ...Object.fromEntries(entries), well: { ...markedServer(), timeout: '30s' } };
  return keep(openPlace({ servers: all, http: { auth: 'none' }, log: { level: 'silent' } }));
}

function stdioServers(): Readonly<Record<string, object>> {
  const entry = { ...nodeServer('fault-server.mjs'), protocol: 'legacy' };
  // Where an answer must come, a busy machine may take its time.
  const patient = { ...entry, timeout: '10s' };
  return Object.fromEntries(
    Object.entries(stdioFaults).map(([name, may]) => [name, may.join() === 'mark' ? patient : entry]),
  );
}

describe.each([
  ['mcp', openLineCaller],
  ['serve', openHttpCaller],
] as const)('failing servers behind %s', (mode, openCaller) => {
  it('over stdio: each call gets one answer, and others are not affected', async () => {
    const caller = keep(await openCaller(openFaultPlace(stdioServers())));
    await storm(caller, stdioFaults, { rounds: count(60), growth: 64 * megabyte, title: `${mode} stdio` });
    if (mode === 'mcp') return;
    const servers = await caller.servers();
    for (const name of ['crash', 'killed', 'half']) {
      expect(servers.get(name)?.restarts, name).toBeGreaterThanOrEqual(1);
    }
    for (const name of ['ok', 'garbage', 'twice', 'hang', 'well'])
      expect(servers.get(name)?.restarts).toBe(0);
  });

  it('over HTTP: each call gets one answer, and others are not affected', async () => {
    const endpoint = keep(await openFaultyEndpoint());
    const servers = Object.fromEntries(httpFaults.map((fault) => [fault, { url: endpoint.url(fault) }]));
    const caller = keep(await openCaller(openFaultPlace(servers)));
    // Three endless bodies at once are kept up to their limit, and the allocator keeps what it had.
    const growth = (3 * 64 + 64) * megabyte;
    await storm(caller, endpointFaults, { rounds: count(60), growth, title: `${mode} HTTP` });
    expect(endpoint.strays).toEqual([]);
    // What was given up is not left open either.
    await waitFor(
      () => endpoint.open() === 0,
      5000,
      () => `${String(endpoint.open())} responses are open`,
    );
  });
});

describe('servers that fail at a message boundary', () => {
  it('over stdio: each call gets one answer, the server restarts, and others never notice', async () => {
    const total = count(2000);
    const perServer = 2;
    const perGate = 20;
    let met = 0;
    let calls = 0;
    let slowest = 0;
    while (met < total) {
      const servers = Math.min(perGate, Math.ceil((total - met) / perServer));
      const plans = Array.from({ length: servers }, () => randomPlan(perServer));
      const done = await runPlans(plans);
      met += done.met;
      calls += done.calls;
      slowest = Math.max(slowest, done.slowest);
    }
    console.log(
      `boundaries: n=${String(met)}, calls ${String(calls)}, slowest ${slowest.toFixed(0)} ms, seed ${String(random.seed)}`,
    );
    expect(met).toBeGreaterThanOrEqual(total);
  });

  it('over HTTP: each call gets one answer, and the server recovers', async () => {
    const methods = [
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call',
    ];
    // Those that end by themselves; who never answers a handshake is given up after half a minute.
    const faults = httpFaults.filter((fault) => !fault.startsWith('slow') && !fault.startsWith('endless'));
    for (const method of methods) {
      const endpoint = keep(await openFaultyEndpoint());
      const servers = Object.fromEntries(
        faults.map((fault) => [fault, { url: endpoint.url(fault, method, 2) }]),
      );
      const caller = keep(await openLineCaller(openFaultPlace(servers)));
      await whileWell(caller, async () => {
        const tries = await Promise.all(faults.map((name) => untilWell(caller, name, () => true)));
        console.log(`HTTP at ${method}: n=${String(2 * faults.length)}, calls ${String(sum(tries))}`);
      });
      expect(endpoint.strays).toEqual([]);
    }
  });
});

describe('controls', () => {
  it('a naive relay loses answers and duplicates others', async () => {
    const lost: string[] = [];
    const surplus: string[] = [];
    const relay = async (fault: string): Promise<void> => {
      const { command, args } = nodeServer('fault-server.mjs');
      const client = openLineClient(spawnFixture('bare-relay.mjs', command, ...args));
      await client.initialize();
      const params = { name: 'do', arguments: { fault, mark: 'm' } };
      const answer = await client.request('tools/call', params, 5 * timeout).catch(() => undefined);
      if (answer === undefined) lost.push(fault);
      await pause(timeout);
      if (client.unclaimed.some(({ rawId }) => rawId !== undefined)) surplus.push(fault);
      // Its server ends with its input.
      await endProcess(client.child);
    };
    await Promise.all(Object.keys(stdioFaults).map(relay));
    console.log(`control: lost with ${lost.join(' ')}; too many with ${surplus.join(' ')}`);
    expect(lost).toEqual(expect.arrayContaining(['crash', 'killed', 'half', 'hang']));
    expect(surplus).toEqual(expect.arrayContaining(['twice', 'unknown']));
  });

  it('a client that follows every redirect sends the call to another host', async () => {
    const endpoint = keep(await openFaultyEndpoint());
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} });
    await fetch(endpoint.url('redirect'), { method: 'POST', body });
    expect(endpoint.strays).toEqual(['POST /caught']);
  });
});

/** Calls every server many times, several at once, and checks what came and what stayed. */
async function storm(
  caller: Caller,
  expected: Readonly<Record<string, readonly string[]>>,
  { rounds, growth, title }: { readonly rounds: number; readonly growth: number; readonly title: string },
): Promise<void> {
  // Twice, so that what is measured is what grows with the number of faults.
  await runStorm(caller, expected, 1);
  const before = await measure(caller);
  const { wrong, taken } = await runStorm(caller, expected, rounds);
  // Late and second answers come now, if ever.
  await pause(timeout);
  const after = await measure(caller);
  const slowest = Math.max(...taken);
  console.log(
    `${title}: n=${String(taken.length)}, slowest ${slowest.toFixed(0)} ms, lost ${String(caller.lost())}, ` +
      `surplus ${String(caller.surplus().length)}, ${before.text} → ${after.text}`,
  );
  expect([...new Set(wrong)]).toEqual([]);
  expect(caller.lost()).toBe(0);
  expect(caller.surplus()).toEqual([]);
  expect(slowest).toBeLessThanOrEqual(limitMs);
  expect(after.files).toBeLessThanOrEqual(before.files + 5);
  expect(after.bytes - before.bytes).toBeLessThanOrEqual(growth);
  expect((await caller.call('well_echo', { mark: 'end' })).text).toBe('end:');
}

async function runStorm(
  caller: Caller,
  expected: Readonly<Record<string, readonly string[]>>,
  rounds: number,
): Promise<{ readonly wrong: readonly string[]; readonly taken: readonly number[] }> {
  const wrong: string[] = [];
  const taken: number[] = [];
  const callAtOnce = async (name: string, round: number): Promise<void> => {
    const marks = Array.from({ length: 3 }, (_, at) => `${name}-${String(round)}-${String(at)}`);
    const came = await Promise.all(marks.map((mark) => caller.call(`${name}_do`, { fault: name, mark })));
    for (const [at, { text, code, ms }] of came.entries()) {
      const what = code ?? (text === marks[at] ? 'mark' : `foreign ${String(text)}`);
      if (expected[name]?.includes(what) !== true) wrong.push(`${name}: ${what}`);
      taken.push(ms);
    }
  };
  await whileWell(caller, async () => {
    const all = Object.keys(expected).map(async (name) => {
      for (let round = 0; round < rounds; round += 1) await callAtOnce(name, round);
    });
    await Promise.all(all);
  });
  return { wrong, taken };
}

/** What the gate holds when it has nothing to do. Collecting garbage takes it some work. */
async function measure(
  caller: Caller,
): Promise<{ readonly files: number; readonly bytes: number; readonly text: string }> {
  if (!hasProc) return { files: 0, bytes: 0, text: 'not measured' };
  for (let at = 0; at < 500; at += 1) await caller.call('well_big', { mark: 'm', bytes: 20_000 });
  caller.rest();
  await pause(300);
  const [files, bytes] = [openFiles(caller.pid), memoryOf(caller.pid).now];
  return { files, bytes, text: `${String(files)} files ${(bytes / megabyte).toFixed(0)} MiB` };
}

/** Meanwhile a healthy server is called all the time, and must not notice anything. */
async function whileWell(caller: Caller, act: () => Promise<void>): Promise<void> {
  let isOver = false;
  const taken: number[] = [];
  const wrong: string[] = [];
  const watch = async (): Promise<void> => {
    while (!isOver) {
      const mark = `w${String(taken.length)}`;
      const { text, code, ms } = await caller.call('well_echo', { mark });
      taken.push(ms);
      if (text !== `${mark}:`) wrong.push(String(code ?? text));
      await pause(10);
    }
  };
  const watching = watch();
  try {
    await act();
  } finally {
    isOver = true;
  }
  await watching;
  const sorted = taken.sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0);
  console.log(
    `the healthy server: n=${String(taken.length)}, p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)} ms`,
  );
  expect(wrong).toEqual([]);
}

const hows = ['crash', 'killed', 'half', 'after', 'litter'] as const;
type Plan = readonly { readonly at: number; readonly how: string }[];

/** A life hears a probe, the handshake, a list, and then calls. */
function randomPlan(lives: number): Plan {
  return Array.from({ length: lives }, () => ({ at: 1 + random.below(7), how: random.pick(hows) }));
}

async function runPlans(
  plans: readonly Plan[],
): Promise<{ readonly met: number; readonly calls: number; readonly slowest: number }> {
  const place = keep(openPlace({ servers: {} }, { trusted: false }));
  const files = plans.map((plan, at) => {
    const file = join(place.directory, `${String(at)}.plan`);
    writeFileSync(file, JSON.stringify(plan));
    return file;
  });
  const servers = files.map((file, at) => [`s${String(at)}`, nodeServer('fault-server.mjs', file)] as const);
  const caller = await openLineCaller(openFaultPlace(Object.fromEntries(servers)));
  const slow: number[] = [];
  let calls = 0;
  await whileWell(caller, async () => {
    const all = servers.map(async ([name], at) => {
      const isPast = (): boolean => livesOf(files[at] ?? '') > (plans[at]?.length ?? 0);
      const tries = await untilWell(caller, name, isPast, slow);
      calls += tries;
    });
    await Promise.all(all);
  });
  expect(caller.lost()).toBe(0);
  expect(caller.surplus()).toEqual([]);
  expect(Math.max(...slow)).toBeLessThanOrEqual(limitMs);
  await caller.close();
  const met = files.map((file, at) => Math.min(livesOf(file) - 1, plans[at]?.length ?? 0));
  return { met: sum(met), calls, slowest: Math.max(...slow) };
}

const maxTries = 100;

/** Calls until the server answers well. Gives back how many calls that took. */
async function untilWell(
  caller: Caller,
  name: string,
  isPast: () => boolean,
  taken: number[] = [],
): Promise<number> {
  const codes: string[] = [];
  for (let at = 1; at <= maxTries; at += 1) {
    const mark = `${name}/${String(at)}`;
    const { text, code, ms } = await caller.call(`${name}_do`, { fault: 'ok', mark });
    taken.push(ms);
    if (text === mark && isPast()) return at;
    codes.push(code ?? String(text));
    // While a server is down the answer is quick.
    if (text === undefined) await pause(100);
  }
  throw new Error(
    `${name} did not come back: ${[...new Set(codes)].join(', ')}; last ${String(codes.at(-1))}`,
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
