// Plugins that do what they should not: each has a clear end, and the others are unharmed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endProcess, type HttpGate, spawnStdioGate, waitFor } from '../support/gate.js';
import { openLineClient } from '../support/line-client.js';
import { openPluginPlace, type PluginPlace, socketsOf } from '../support/plugin-place.js';
import { findMarked, hasProc } from '../support/proc.js';
import { runGate } from '../support/run-program.js';
import { openSdkClient, type SdkClient, sdkKinds } from '../support/sdk-clients.js';

interface Shown {
  readonly state: string;
  readonly detail?: string;
  readonly operations: readonly unknown[];
}

/** How a start goes wrong, and what the operator is told. */
const badStarts: Readonly<Record<string, RegExp>> = {
  silent: /it sent no handshake within 15 s/,
  garbage: /its first line is not a handshake: Hello, I am ready!/,
  'exits-early': /it exited with code 7 before its handshake; stderr: no licence found/,
  'endless-line': /its first line cannot be read: oversize/,
  'other-core': /it uses go-plugin version "2", not 1/,
  'other-version': /it uses plugin protocol version "9", not 1/,
  netrpc: /it uses "netrpc", not grpc/,
  'far-address': /its address is not on this machine/,
  plain: /it sent no TLS certificate, and Tidegate does not connect in plain text/,
  unwell: /its health check failed/,
  'init-fails': /Init failed: refused: plugin init failed: no token/,
  'bad-list': /ListOperations failed: malformed/,
};
const goodStarts = ['late', 'tcp', 'stray-output', 'twice'];

const nameOf = (behaviour: string): string => `p-${behaviour}`;

describe('the start of a plugin', () => {
  let place: PluginPlace;
  const shown = new Map<string, Shown>();
  beforeAll(async () => {
    const all = [...Object.keys(badStarts), ...goodStarts];
    place = openPluginPlace(Object.fromEntries(all.map((one) => [nameOf(one), { behaviours: [one] }])));
    place.trustPlugins();
    const waiting = [...all];
    const lane = async (): Promise<void> => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift())
        shown.set(one, await show(one));
    };
    // Each in a place of its own, so that none waits for another.
    await Promise.all([lane(), lane(), lane()]);
  });
  afterAll(() => place.close());

  async function show(behaviour: string): Promise<Shown> {
    const own = openPluginPlace({ [nameOf(behaviour)]: { behaviours: [behaviour] } });
    try {
      own.trustPlugins();
      const { stdout } = await runGate(own, ['plugin', 'show', nameOf(behaviour), '--json']);
      return JSON.parse(stdout) as Shown;
    } finally {
      own.close();
    }
  }

  it.each(Object.entries(badStarts))('that is %s fails with its reason', (behaviour, reason) => {
    expect(shown.get(behaviour)).toMatchObject({ state: 'failed', operations: [] });
    expect(shown.get(behaviour)?.detail).toMatch(reason);
  });

  it.each(goodStarts)('that is %s succeeds', (behaviour) => {
    expect(shown.get(behaviour)?.operations.length).toBeGreaterThan(5);
  });

  it('does not affect others: good plugins of the same gateway work while bad ones fail', async () => {
    const before = performance.now();
    const { status, stdout } = await runGate(place, ['plugin', 'call', nameOf('tcp'), 'echo', 'text=fine']);
    expect([status, stdout]).toEqual([0, expect.stringContaining('fine')]);
    // One of them says nothing for 15 seconds, and nobody waits for that.
    expect(performance.now() - before).toBeLessThan(14_000);
  });
});

describe('a call to a plugin', () => {
  let place: PluginPlace;
  let client: SdkClient;
  const [kind] = sdkKinds;
  beforeAll(async () => {
    place = openPluginPlace({});
    for (const name of ['bad', 'good']) place.addPeer(name, {}, `${place.workspace}/vendor`);
    place.writeList(
      Object.fromEntries(
        ['bad', 'good'].map((name) => [name, { path: `../vendor/awf-plugin-${name}`, timeout: '1s' }]),
      ),
    );
    place.trustPlugins();
    client = await openSdkClient({ kind, wire: 'stdio', place, gate: {} as HttpGate });
    await waitFor(
      async () => (await client.tools()).length > 20,
      20_000,
      () => 'not listed',
    );
  });
  afterAll(async () => {
    await client.close();
    place.close();
  });

  async function codeOf(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { structuredContent } = await client.call(name, args);
    const { error } = structuredContent as { readonly error?: { readonly code: string } };
    return error?.code ?? 'none';
  }
  const echo = async (plugin: string): Promise<unknown> =>
    (await client.call(`${plugin}_echo`, { text: 'ok' })).structuredContent;
  const isFine = { output: 'ok', text: 'ok', prefix: '' };

  it('that crashes fails once, and the plugin is restarted for the next', async () => {
    expect(await codeOf('bad_crash')).toBe('provider.lost');
    expect(await echo('good')).toEqual(isFine);
    expect(await echo('bad')).toEqual(isFine);
  });

  it('that hangs times out, and the process keeps serving others', async () => {
    const before = Date.now();
    expect(await codeOf('bad_hang')).toBe('call.timeout');
    expect(Date.now() - before).toBeLessThan(5000);
    expect(await echo('bad')).toEqual(isFine);
  });

  it('that blocks the plugin ends its process, because the health check fails too', async () => {
    expect(await codeOf('bad_block')).toBe('call.timeout');
    expect(await echo('good')).toEqual(isFine);
    let last: unknown;
    await waitFor(
      async () => {
        last = await echo('bad');
        return JSON.stringify(last) === JSON.stringify(isFine);
      },
      30_000,
      () => `it never came back: ${JSON.stringify(last)}`,
    );
  });

  it('that floods stderr succeeds', async () => {
    expect((await client.call('bad_chatter')).structuredContent).toEqual({ output: 'still here' });
  });

  it('with invalid JSON, text or protocol data gets a specific error', async () => {
    expect((await client.call('bad_raw')).structuredContent).toEqual({ bytes: '{oops' });
    expect((await client.call('bad_binary')).structuredContent).toEqual({ bytes: '\ufffd\ufffd\u0000' });
    expect(await codeOf('bad_bad_text')).toBe('provider.malformed');
    expect(await echo('bad')).toEqual(isFine);
  });

  it.each(['cut', 'endless-number', 'wrong-type', 'group', 'no-field', 'cut-entry'])(
    'with bytes that are not a message (%s) gets an error that says so, and the plugin keeps working',
    async (kind) => {
      expect(await codeOf('bad_broken', { kind })).toBe('provider.malformed');
      expect(await echo('bad')).toEqual(isFine);
      expect(await echo('good')).toEqual(isFine);
    },
  );

  it('can return 5 MiB, and accepts up to 4', async () => {
    // Over bare lines: the official client takes 10 MiB at once, and the text and the data are 5 each.
    const own = openPluginPlace({ bad: {} });
    own.trustPlugins();
    const gate = spawnStdioGate(own);
    const lines = openLineClient(gate);
    await lines.initialize();
    const call = async (name: string, args: Readonly<Record<string, unknown>>) => {
      const { result } = (await lines.request('tools/call', { name, arguments: args }, 60_000)).message;
      const { structuredContent, _meta } = result as {
        readonly structuredContent?: { readonly output?: string; readonly error?: object };
        readonly _meta?: Readonly<Record<string, unknown>>;
      };
      return {
        length: structuredContent?.output?.length,
        error: structuredContent?.error ?? _meta?.['dev.tidegate/error'],
      };
    };
    const much = 5 * 1024 * 1024;
    expect(await call('bad_big', { bytes: much })).toEqual({ length: much, error: undefined });
    const refused = { code: 'input.invalid', reason: 'too_large' };
    expect((await call('bad_echo', { text: 'x'.repeat(much) })).error).toMatchObject(refused);
    const most = 3 * 1024 * 1024;
    expect(await call('bad_echo', { text: 'x'.repeat(most) })).toEqual({ length: most, error: undefined });
    expect((await call('bad_big', { bytes: 40 * 1024 * 1024 })).error).toMatchObject({ reason: 'too_large' });
    expect(await call('bad_echo', { text: 'ok' })).toEqual({ length: 2, error: undefined });
    await endProcess(gate);
    own.close();
  });

  it('that is cancelled is no longer waited for', async () => {
    const giveUp = new AbortController();
    const call = client.call('good_hang', {}, { signal: giveUp.signal });
    setTimeout(() => giveUp.abort(), 100);
    await expect(call).rejects.toThrow();
    expect(await echo('good')).toEqual(isFine);
  });

  it('that crashes repeatedly is stopped, and the others keep working', async () => {
    const codes: string[] = [];
    for (let i = 0; i < 7; i += 1) codes.push(await codeOf('bad_crash'));
    expect(codes.at(-1)).toBe('provider.unavailable');
    expect(codes).toContain('provider.lost');
    const { content } = await client.call('bad_echo', { text: 'a' });
    expect(content[0]?.text).toContain('stopped after 5 failures');
    expect(await echo('good')).toEqual(isFine);
  });
});

describe.skipIf(!hasProc)('the exit of a plugin (skipped: no /proc)', () => {
  it.each([
    ['obeys', []],
    ['ignores SIGINT and SIGTERM', ['ignores-term']],
    ['dies when told to shut down', ['dies-on-shutdown']],
    ['does not answer when told to shut down, and ignores SIGTERM', ['hangs-on-shutdown', 'ignores-term']],
  ])('that %s happens within five seconds, and its socket is removed', async (_how, behaviours) => {
    const place = openPluginPlace({ peer: { behaviours } });
    const mark = place.directory;
    try {
      place.trustPlugins();
      const gate = spawnStdioGate(place);
      const client = openLineClient(gate);
      await client.initialize();
      const called = await client.request('tools/call', { name: 'peer_echo', arguments: { text: 'a' } });
      expect(called.message.result).toMatchObject({ structuredContent: { output: 'a' } });
      const started = performance.now();
      gate.stdin.end();
      await waitFor(
        () => findMarked(mark).length === 0,
        5000,
        () => `left: ${String(findMarked(mark).length)}`,
      );
      console.log(
        `${behaviours.join(' ') || 'obeys'}: gone after ${(performance.now() - started).toFixed(0)} ms`,
      );
      await endProcess(gate);
      const { stdout } = await runGate(place, ['plugin', 'list', '--json']);
      expect(stdout).toContain('"peer"');
      expect(socketsOf(place)).toEqual([]);
    } finally {
      place.close();
    }
  });
});
