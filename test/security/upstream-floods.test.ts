import { describe, expect, it, onTestFinished } from 'vitest';
import { endProcess, openPlace, spawnStdioGate, waitFor } from '../support/gate.js';
import { nodeServer, spawnFixture } from '../support/hostile-servers.js';
import { type LineClient, openLineClient, type Received } from '../support/line-client.js';

const times = 20_000;
const length = 7_500_000;
/** A burst, and 20 per second for as long as the slowest machine takes. */
const most = 2000;
const longest = 40_000;
const limitMs = 60_000;

async function throughGateway(): Promise<LineClient> {
  const servers = { up: { ...nodeServer('flooding-server.mjs'), prefix: '' } };
  const place = openPlace({ servers, log: { level: 'debug' } });
  const client = openLineClient(spawnStdioGate(place));
  onTestFinished(async () => {
    await endProcess(client.child);
    place.close();
  });
  return ready(client);
}

/** The control: the same client on the server itself, with nothing between them. */
function bare(): Promise<LineClient> {
  return ready(openLineClient(spawnFixture('flooding-server.mjs')));
}

async function ready(client: LineClient): Promise<LineClient> {
  await client.initialize();
  await client.request('logging/setLevel', { level: 'debug' });
  return client;
}

async function flood(client: LineClient, name: string): Promise<Received> {
  client.unclaimed.splice(0);
  const args = ['refuse', 'fail', 'parts'].includes(name) ? { length } : { times };
  return client.request('tools/call', { name, arguments: args, _meta: { progressToken: 'p' } }, limitMs);
}

const heard = (client: LineClient, method: string): readonly Received[] =>
  client.unclaimed.filter(({ message }) => message.method === method);

describe('[15.14] floods from a server', () => {
  it('[15.14] progress is merged, and the last message is sent before the result', async () => {
    const client = await throughGateway();
    let last: unknown;
    client.onLine(({ message }) => {
      if (message.method === 'notifications/progress') last = message.params?.['progress'];
    });
    const { text } = await flood(client, 'progress');
    expect(text).toContain('done');
    expect(last).toBe(times);
    expect(heard(client, 'notifications/progress').length).toBeLessThan(most);
  });

  it('[15.14] log messages that come too fast are dropped, and the caller is told how many', async () => {
    const client = await throughGateway();
    await flood(client, 'log');
    const lines = heard(client, 'notifications/message');
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.length).toBeLessThan(most);
    expect(lines.at(-1)?.text).toMatch(/Tidegate dropped \d+ log messages/);
    const isTold = (): boolean => client.stderr().includes('were dropped because they came too fast');
    await waitFor(isTold, limitMs, () => client.stderr());
  });

  it.each(['refuse', 'fail'])('[15.14] the text of an error is cut, with a note: %s', async (how) => {
    const client = await throughGateway();
    const { text } = await flood(client, how);
    expect(text.length).toBeLessThan(longest);
    expect(text).toMatch(/\[Tidegate cut \d{7} characters/);
    expect(text).toContain('xxxx');
  });

  it('[15.14] stderr lines are logged at a limited rate', async () => {
    const client = await throughGateway();
    let written = 0;
    client.child.stderr.on('data', (part: Buffer) => {
      written += part.toString().split('stderr line').length - 1;
    });
    await flood(client, 'stderr');
    await waitFor(
      () => client.stderr().includes('some lines were not logged'),
      limitMs,
      () => client.stderr(),
    );
    expect(written).toBeLessThan(most);
  });

  it('[15.14] lists that change constantly are read at a limited rate', async () => {
    const client = await throughGateway();
    for (let round = 0; round < 5; round += 1) await flood(client, 'change');
    const { text } = await client.request('tools/list', {}, limitMs);
    // The server names a tool after the number of its lists.
    expect(Number(/list_(\d+)/.exec(text)?.[1])).toBeLessThan(100);
    expect(heard(client, 'notifications/tools/list_changed').length).toBeLessThan(100);
  });

  it('[15.14] resource updates are merged, and the last one is sent', async () => {
    const client = await throughGateway();
    await client.request('tools/list', {}, limitMs);
    await client.request('resources/subscribe', { uri: 'flood:/one' }, limitMs);
    await flood(client, 'update');
    const updates = (): readonly Received[] => heard(client, 'notifications/resources/updated');
    const isLast = (): boolean => updates().at(-1)?.message.params?.['at'] === times;
    await waitFor(isLast, limitMs, () => `${String(updates().length)} updates`);
    expect(updates().length).toBeLessThan(most);
  });

  it('[15.14] shortens updates of a resource, which are kept for clients that are not listening', async () => {
    const client = await throughGateway();
    await client.request('tools/list', {}, limitMs);
    await client.request('resources/subscribe', { uri: 'flood:/one' }, limitMs);
    await flood(client, 'parts');
    const updates = (): readonly Received[] => heard(client, 'notifications/resources/updated');
    await waitFor(
      () => updates().length === 3,
      limitMs,
      () => `${String(updates().length)} updates`,
    );
    expect(updates().map(({ message }) => message.params)).toEqual([
      { uri: 'flood:/one/a' },
      { uri: 'flood:/one' },
      { uri: 'flood:/one/b', _meta: { text: 'short' } },
    ]);
  });

  it('[15.14] control: without the gateway each of them arrives whole', async () => {
    const client = await bare();
    await flood(client, 'progress');
    expect(heard(client, 'notifications/progress')).toHaveLength(times);
    await flood(client, 'log');
    expect(heard(client, 'notifications/message')).toHaveLength(times);
    await flood(client, 'change');
    expect(heard(client, 'notifications/tools/list_changed')).toHaveLength(times);
    await flood(client, 'update');
    expect(heard(client, 'notifications/resources/updated')).toHaveLength(times);
    await flood(client, 'parts');
    const updates = heard(client, 'notifications/resources/updated').map(({ text }) => text.length > length);
    expect(updates).toEqual([true, true, false]);
    for (const how of ['refuse', 'fail'])
      expect((await flood(client, how)).text.length).toBeGreaterThan(length);
  });
});
