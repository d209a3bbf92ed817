import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpGate, openHttpGate, openPlace, type Place, waitFor } from '../support/gate.js';
import { clientWays } from '../support/pairings.js';
import { openRawHttp, openRawStdio, type RawClient, tokenOf } from '../support/raw-client.js';
import { elementsOf, textAt } from '../support/raw-json.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

const named = (name: string, ...more: readonly string[]) => ({
  lists: {
    'tools/list': [name, ...more].map((each) => `{"name":"${each}","inputSchema":{"type":"object"}}`),
  },
  answers: {
    'tools/call': {
      [name]: { result: `{"content":[{"type":"text","text":"${name}"}]}` },
      slow: { hangs: true },
    },
  },
});

/** Longer than the gateway takes to notice a changed file. */
const restMs = 1500;
const rest = () => new Promise((resolve) => setTimeout(resolve, restMs));

/** A configuration that changes while a client is connected. */
describe.each(clientWays)('a client over $wire with $protocol protocol', ({ wire, protocol }) => {
  let place: Place;
  let gate: HttpGate | undefined;
  let client: RawClient;
  let said: () => string;
  let one: ScriptedUpstream;
  let two: ScriptedUpstream;

  beforeAll(async () => {
    [one, two] = await Promise.all([
      openScripted('stdio', 'legacy', named('a')),
      openScripted('stdio', 'modern', named('b', 'slow')),
    ]);
    place = openPlace({ servers: { one: one.entry } });
    if (wire === 'http') {
      gate = await openHttpGate(place);
      let text = '';
      gate.child.stderr.on('data', (part: Buffer) => (text += part.toString()));
      said = () => text;
      client = await openRawHttp(gate, tokenOf(place), { protocol });
    } else {
      const stdio = await openRawStdio(place, { protocol });
      said = () => stdio.said();
      client = stdio;
    }
    if (protocol === 'modern') {
      const listening = client.request('subscriptions/listen', '"notifications":{"toolsListChanged":true}', {
        timeoutMs: 600_000,
      });
      listening.catch(() => undefined);
      await waitFor(
        () => client.heard.some((text) => text.includes('acknowledged')),
        5000,
        () => 'the subscription was not acknowledged',
      );
    }
  });
  afterAll(async () => {
    await client.close();
    await gate?.close();
    place.close();
    await Promise.all([one.close(), two.close()]);
  });

  const tools = async (): Promise<readonly string[]> => {
    const { result = '{}' } = await client.request('tools/list', '');
    return elementsOf(textAt(result, 'tools')).map((text) => JSON.parse(textAt(text, 'name')) as string);
  };
  const call = async (name: string) => (await client.request('tools/call', `"name":"${name}"`)).text;
  const changes = () =>
    client.heard.filter((text) => text.includes('notifications/tools/list_changed')).length;
  const starts = (upstream: ScriptedUpstream) => upstream.heard().filter(({ kind }) => kind === 'start');

  async function changedBy(edit: () => void): Promise<void> {
    const before = changes();
    edit();
    await waitFor(
      () => changes() > before,
      10_000,
      () => `no list_changed; the gateway logged ${said()}`,
    );
  }

  it('is not affected by an untrusted edit', async () => {
    expect(await tools()).toEqual(['one_a']);
    place.write({ servers: { one: one.entry, two: two.entry } });
    await waitFor(
      () => said().includes('tidegate trust'),
      10_000,
      () => `the gateway logged ${said()}`,
    );
    expect(await tools()).toEqual(['one_a']);
    expect(starts(two)).toHaveLength(0);
    expect(changes()).toBe(0);
  });

  it('is notified of the new server as soon as the edit is trusted, and the old one is not restarted', async () => {
    await changedBy(() => place.trust());
    await waitFor(
      async () => (await tools()).length === 3,
      5000,
      () => 'the new tool did not appear',
    );
    expect(await tools()).toEqual(['one_a', 'two_b', 'two_slow']);
    expect(await call('two_b')).toContain('"text":"b"');
    expect(await call('one_a')).toContain('"text":"a"');
    expect(starts(one)).toHaveLength(1);
    expect(starts(two)).toHaveLength(1);
  });

  it('keeps its tools if an edit has errors', async () => {
    place.write({ servers: { one: one.entry, two: two.entry }, typo: true });
    await waitFor(
      () => said().includes('not reloaded: it has errors'),
      10_000,
      () => `the gateway logged ${said()}`,
    );
    expect(await tools()).toEqual(['one_a', 'two_b', 'two_slow']);
    writeFileSync(place.configFile, 'servers: [');
    await rest();
    expect(await tools()).toEqual(['one_a', 'two_b', 'two_slow']);
    expect(starts(one)).toHaveLength(1);
  });

  it('is notified that a server was removed, and its process has ended', async () => {
    const pid = starts(one)[0]?.pid ?? -1;
    expect(isRunning(pid)).toBe(true);
    await changedBy(() => {
      place.write({ servers: { two: two.entry } });
      place.trust();
    });
    expect(await tools()).toEqual(['two_b', 'two_slow']);
    expect(await call('one_a')).toContain('Unknown tool: one_a');
    expect(await call('two_b')).toContain('"text":"b"');
    expect(starts(two)).toHaveLength(1);
    await waitFor(
      () => !isRunning(pid),
      5000,
      () => `process ${String(pid)} is still running`,
    );
  });

  it('gets an answer to its open call when the server is replaced', async () => {
    const open = client.request('tools/call', '"name":"two_slow"', { timeoutMs: 15_000 });
    await waitFor(
      () => two.heardOf('tools/call').some((text) => text.includes('"slow"')),
      5000,
      () => 'the call did not arrive',
    );
    place.write({ servers: { two: { ...two.entry, prefix: 'renamed_' } } });
    place.trust();
    expect((await open).text).toContain('was lost before it answered');
    await waitFor(
      async () => (await tools()).join() === 'renamed_b,renamed_slow',
      10_000,
      () => `the gateway logged ${said()}`,
    );
    expect(await call('renamed_b')).toContain('"text":"b"');
  });

  it('loses the servers when trust is removed, and gets them back when it is restored', async () => {
    const pids = starts(two).map(({ pid }) => pid ?? -1);
    await changedBy(() => {
      expect(place.run('trust', '--forget', place.configFile).status).toBe(0);
    });
    expect(await tools()).toEqual([]);
    await waitFor(
      () => !pids.some(isRunning),
      5000,
      () => 'the server is still running',
    );
    await changedBy(() => place.trust());
    await waitFor(
      async () => (await tools()).length === 2,
      5000,
      () => 'the tools did not come back',
    );
  });

  it('also loses them if trust is removed while the file is broken', async () => {
    const pids = starts(two).map(({ pid }) => pid ?? -1);
    const sound = readFileSync(place.configFile);
    appendFileSync(place.configFile, '\n{ this is: [ not a configuration');
    await changedBy(() => {
      expect(place.run('trust', '--forget', place.configFile).status).toBe(0);
    });
    expect(await tools()).toEqual([]);
    await waitFor(
      () => !pids.some(isRunning),
      5000,
      () => 'the server is still running',
    );
    writeFileSync(place.configFile, sound);
    await changedBy(() => place.trust());
    await waitFor(
      async () => (await tools()).length === 2,
      5000,
      () => 'the tools did not come back',
    );
  });

  it('keeps its servers if an untrusted edit removes them all', async () => {
    const [before, saidBefore] = [changes(), said().length];
    place.write({ servers: {} });
    await waitFor(
      () => said().slice(saidBefore).includes('tidegate trust'),
      10_000,
      () => `the gateway logged ${said()}`,
    );
    expect(await tools()).toEqual(['renamed_b', 'renamed_slow']);
    expect(changes()).toBe(before);
    await changedBy(() => place.trust());
    expect(await tools()).toEqual([]);
  });

  it('stays in the same session', async () => {
    const { text } = await client.request('tools/list', '');
    expect(text).not.toContain('Session not found');
    expect(client.heard.filter((line) => line.includes('"error"'))).toEqual([]);
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
