import { describe, expect, it } from 'vitest';
import { echoCall, faultOf, mapMemory, openBench } from '../../../test/support/scripted-provider.js';
import { legacyScript, type Script, settle } from '../../../test/support/scripted-upstream.js';
import { recordExchange } from '../../../test/support/upstream-calls.js';

const answering: Script = ({ id, method }, child) => {
  if (method === 'tools/call') child.say({ jsonrpc: '2.0', id, result: { content: [] } });
};
const hour = 3_600_000;

describe('the lifecycle of a server', () => {
  it('starts with the first call, with exactly the configured command', async () => {
    const bench = openBench(legacyScript(answering));
    expect(bench.provider.status()).toEqual({ state: 'idle', restarts: 0 });
    expect((await bench.call().outcome).kind).toBe('content');
    expect(bench.server.child.order).toEqual({
      owner: 's',
      command: 'server',
      args: ['--flag'],
      cwd: '/here',
      env: { A: '1' },
    });
  });

  it('never starts if the server is untrusted or disabled', async () => {
    for (const [more, code, state] of [
      [{ trusted: false }, 'provider.untrusted', 'untrusted'],
      [{ enabled: false }, 'provider.disabled', 'disabled'],
    ] as const) {
      const bench = openBench(legacyScript(), more);
      await bench.provider.ready();
      await bench.provider.watch('a://1', () => undefined);
      expect(bench.provider.list().tools).toEqual([]);
      expect(faultOf(await bench.call().outcome)).toBe(code);
      expect(bench.provider.parse(echoCall().target, echoCall().params).ok).toBe(false);
      expect(bench.provider.status().state).toBe(state);
      expect(bench.server.children).toHaveLength(0);
    }
  });

  it('answers each call in flight exactly once when the server exits', async () => {
    const bench = openBench(legacyScript());
    await bench.provider.ready();
    const calls = [bench.call(), bench.call(), bench.call({ session: 'two' })];
    await settle();
    bench.server.child.complain('out of memory\n');
    bench.server.child.exit({ code: 137 });
    const outcomes = await Promise.all(calls.map(({ outcome }) => outcome));
    expect(outcomes.map(faultOf)).toEqual(['provider.lost', 'provider.lost', 'provider.lost']);
    expect(bench.provider.status()).toMatchObject({
      state: 'failed',
      detail: 'exited with code 137: out of memory',
    });
  });

  it('restarts on the next call, after a growing delay', async () => {
    const bench = openBench(legacyScript(answering));
    await bench.provider.ready();
    for (const [pause, restarts] of [
      [250, 1],
      [500, 2],
      [1000, 3],
    ] as const) {
      bench.server.child.exit();
      const { outcome } = bench.call();
      await bench.clock.advance(pause * 0.74);
      expect(bench.server.children).toHaveLength(restarts);
      await bench.clock.advance(pause * 0.26);
      expect((await outcome).kind).toBe('content');
      expect(bench.provider.status()).toMatchObject({ state: 'ready', restarts });
    }
  });

  it('restarts without a delay after a healthy minute', async () => {
    const bench = openBench(legacyScript(answering));
    await bench.provider.ready();
    for (let round = 0; round < 4; round += 1) {
      bench.server.child.exit();
      const { outcome } = bench.call();
      await bench.clock.advance(250);
      expect((await outcome).kind).toBe('content');
      await bench.clock.advance(60_000);
    }
  });

  it('tells a call to retry later if the delay is long', async () => {
    const bench = openBench(legacyScript(answering), {
      processes: {
        start: () => Promise.reject(new Error('no such command')),
        close: () => Promise.resolve(),
      },
    });
    const faults: unknown[] = [];
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const { outcome } = bench.call();
      await bench.clock.advance(5000);
      faults.push(faultOf(await outcome));
    }
    expect(new Set(faults)).toEqual(new Set(['provider.unavailable']));
    expect(bench.provider.status()).toMatchObject({ state: 'failed', detail: 'no such command' });
  });

  it('restarts without a call while its catalog is unknown', async () => {
    const listing = legacyScript(answering);
    const deaths = ['initialize', 'tools/list', 'notifications/initialized'];
    const bench = openBench((message, child) => {
      if (message.method === deaths[bench.server.children.length - 1]) child.exit();
      else listing(message, child);
    });
    const ready = bench.provider.ready();
    for (const pause of [250, 500, 1000]) await bench.clock.advance(pause);
    await ready;
    expect(bench.provider.status()).toMatchObject({ state: 'ready', restarts: 3 });
    expect(bench.provider.list().tools).toHaveLength(1);
    bench.server.child.exit();
    await bench.clock.advance(hour);
    // From now on a call can start it.
    expect(bench.server.children).toHaveLength(4);
  });

  it('requests a missing list again, but not forever', async () => {
    const listing = legacyScript(answering);
    let refusals = 2;
    let asked = 0;
    const bench = openBench((message, child) => {
      if (message.method !== 'tools/list') return listing(message, child);
      asked += 1;
      if (asked > refusals) return listing(message, child);
      child.say({ jsonrpc: '2.0', id: message.id, error: { code: -32603, message: 'not now' } });
    });
    await bench.provider.ready();
    expect(bench.provider.list().tools).toEqual([]);
    await bench.clock.advance(3000);
    expect(bench.provider.list().tools).toHaveLength(1);
    expect(asked).toBe(3);

    refusals = Number.POSITIVE_INFINITY;
    bench.server.child.exit();
    const { outcome } = bench.call();
    await bench.clock.advance(250);
    await outcome;
    await bench.clock.advance(hour);
    expect(asked).toBe(3 + 7);
  });

  it('restarts without a call while a resource is watched', async () => {
    const capabilities = { tools: {}, resources: { subscribe: true } };
    const answerAll: Script = ({ id, method }, child) => {
      if (id !== undefined)
        child.say({ jsonrpc: '2.0', id, result: method === 'resources/list' ? { resources: [] } : {} });
    };
    const bench = openBench(legacyScript(answerAll, capabilities));
    const stop = await bench.provider.watch('a://1', () => undefined);
    bench.server.child.exit();
    await bench.clock.advance(250);
    expect(bench.server.children).toHaveLength(2);
    expect(bench.server.child.received.filter(({ method }) => method === 'resources/subscribe')).toHaveLength(
      1,
    );
    stop();
    await settle();
    bench.server.child.exit();
    await bench.clock.advance(60_000);
    expect(bench.server.children).toHaveLength(2);
  });

  it('stops an idle server, keeps its catalog, and starts it again', async () => {
    const bench = openBench(legacyScript(answering), { idleMs: 10_000 });
    await bench.provider.ready();
    await bench.clock.advance(6000);
    await bench.call().outcome;
    await bench.clock.advance(6000);
    expect(bench.provider.status().state).toBe('ready');
    await bench.clock.advance(4000);
    expect(bench.provider.status()).toMatchObject({ state: 'idle', restarts: 0 });
    expect(bench.server.child.isClosed).toBe(true);
    expect(bench.provider.list().tools).toHaveLength(1);
    expect((await bench.call().outcome).kind).toBe('content');
    expect(bench.provider.status()).toMatchObject({ state: 'ready', restarts: 0 });
  });

  it('does not stop it during a call or a watch', async () => {
    const bench = openBench(legacyScript(), { idleMs: 1000, timeoutMs: 60_000 });
    await bench.provider.ready();
    const { outcome } = bench.call();
    await bench.clock.advance(30_000);
    expect(bench.provider.status().state).toBe('ready');
    const stop = await bench.provider.watch('a://1', () => undefined);
    await bench.clock.advance(40_000);
    expect(faultOf(await outcome)).toBe('call.timeout');
    expect(bench.provider.status().state).toBe('ready');
    stop();
    await bench.clock.advance(3000);
    expect(bench.provider.status().state).toBe('idle');
  });

  it('allows thirty seconds for a start, and reports a timeout', async () => {
    const bench = openBench(() => undefined, { protocol: 'legacy', timeoutMs: 60_000 });
    const { outcome } = bench.call();
    await bench.clock.advance(30_000);
    expect(faultOf(await outcome)).toBe('provider.unavailable');
    expect(bench.provider.status()).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('it took longer than 30 s to start') as string,
    });
    expect(bench.server.child.isClosed).toBe(true);
  });

  it('answers a call that cannot wait for the start, and one that is cancelled meanwhile', async () => {
    const bench = openBench(() => undefined, { protocol: 'legacy', timeoutMs: 1000 });
    const controller = new AbortController();
    const impatient = bench.call();
    const cancelled = bench.call({ signal: controller.signal });
    await settle();
    controller.abort();
    expect(faultOf(await cancelled.outcome)).toBe('call.cancelled');
    await bench.clock.advance(1000);
    expect(faultOf(await impatient.outcome)).toBe('provider.starting');
  });

  it('shows the cached catalog at once, and lists again only if it is old', async () => {
    const first = openBench(legacyScript(answering));
    await first.provider.ready();
    const memory = mapMemory(first.memory);
    const young = openBench(legacyScript(), { memory });
    expect(young.provider.list().tools).toHaveLength(1);
    await young.clock.advance(23 * hour);
    await young.provider.ready();
    expect(young.server.children).toHaveLength(0);
    await young.clock.advance(2 * hour);
    await young.provider.ready();
    await settle();
    expect(young.server.children).toHaveLength(1);
  });

  it('reports a change only if there is one', async () => {
    let tools: unknown[] = [{ name: 'a' }];
    const script: Script = ({ id, method }, child) => {
      if (method === 'initialize') {
        const capabilities = { tools: { listChanged: true } };
        child.say({ jsonrpc: '2.0', id, result: { protocolVersion: '2025-11-25', capabilities } });
      }
      if (method === 'tools/list') child.say({ jsonrpc: '2.0', id, result: { tools } });
    };
    const bench = openBench(script, { protocol: 'legacy' });
    let changes = 0;
    bench.provider.onChange(() => (changes += 1));
    await bench.provider.ready();
    expect(changes).toBe(1);
    const announce = (): void =>
      bench.server.child.say({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    announce();
    await bench.clock.advance(200);
    expect(changes).toBe(1);
    tools = [{ name: 'a' }, { name: 'b' }];
    for (let n = 0; n < 50; n += 1) announce();
    await bench.clock.advance(200);
    expect(changes).toBe(2);
    expect(bench.provider.list().tools.map(({ name }) => name)).toEqual(['s_a', 's_b']);
    expect(bench.server.child.received.filter(({ method }) => method === 'tools/list')).toHaveLength(3);
  });

  it('follows all pages, and stops at a repeated cursor', async () => {
    const cursors: unknown[] = [];
    const script: Script = ({ id, method, params }, child) => {
      if (method === 'initialize') {
        child.say({
          jsonrpc: '2.0',
          id,
          result: { protocolVersion: '2025-11-25', capabilities: { tools: {} } },
        });
      }
      if (method !== 'tools/list') return;
      cursors.push(params?.['cursor']);
      const n = cursors.length;
      child.say({
        jsonrpc: '2.0',
        id,
        result: { tools: [{ name: `t${n}` }], nextCursor: n < 3 ? `c${n}` : 'c1' },
      });
    };
    const bench = openBench(script, { protocol: 'legacy' });
    await bench.provider.ready();
    expect(cursors).toEqual([undefined, 'c1', 'c2']);
    expect(bench.provider.list().tools).toHaveLength(3);
    expect(bench.logs.some(({ message }) => message.includes('did not end and was cut'))).toBe(true);
  });

  it('lists nothing that the server did not declare', async () => {
    const bench = openBench(legacyScript(undefined, {}));
    await bench.provider.ready();
    expect(bench.server.child.received.some(({ method }) => method?.endsWith('/list'))).toBe(false);
    expect(bench.provider.mayHave('a://1')).toBe(false);
  });

  it('closes its server and answers waiting calls', async () => {
    const bench = openBench(legacyScript());
    await bench.provider.ready();
    const { exchange } = recordExchange();
    const outcome = bench.provider.call(echoCall(), exchange);
    await settle();
    await bench.provider.close();
    expect(faultOf(await outcome)).toBe('provider.lost');
    expect(bench.server.child.isClosed).toBe(true);
    expect(faultOf(await bench.call().outcome)).toBe('provider.unavailable');
    expect(bench.server.children).toHaveLength(1);
    expect(bench.provider.status().state).toBe('stopped');
  });

  it('closes while it is still starting', async () => {
    const bench = openBench(() => undefined, { protocol: 'legacy' });
    const ready = bench.provider.ready();
    await settle();
    await bench.provider.close();
    await ready;
    expect(bench.server.child.isClosed).toBe(true);
  });
});
