import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Collector, openCollector } from '../support/collector.js';
import { openPlace, type Place, waitFor } from '../support/gate.js';
import { nodeServer } from '../support/hostile-servers.js';
import { openRawStdio, type RawClient } from '../support/raw-client.js';
import { createRandom } from '../support/random.js';
import { shapeSecrets } from '../support/secret-shapes.js';

const random = createRandom();
/** Told by shape or by the name in front: these may stand where the gate writes other people's words. */
const shaped = shapeSecrets(200, random);
/** A text that nobody can tell for a secret: it may only stand where nothing is ever written from. */
const plain = 'harbour-lantern-quietly';

let place: Place;
let collector: Collector;
let client: Awaited<ReturnType<typeof openRawStdio>>;
/** Everything that the gate was told, as a log without redaction would have written it. */
const raw: string[] = [];

beforeAll(async () => {
  collector = await openCollector();
  place = openPlace({
    servers: {
      up: { ...nodeServer('telling-server.mjs'), env: secretVariables(), timeout: 60_000 },
      brief: { ...nodeServer('telling-server.mjs'), timeout: 300 },
    },
    log: { level: 'debug' },
    telemetry: { endpoint: collector.endpoint, headers: { authorization: `Bearer ${plain}` } },
  });
  client = await openRawStdio(place, { protocol: 'legacy' });
  await client.request('logging/setLevel', '"level":"debug"');
});

afterAll(async () => {
  await client.close();
  await collector.close();
  place.close();
});

function secretVariables(): Readonly<Record<string, string>> {
  const named = shaped.map(({ secret }, at) => [`SETTING_${String(at)}`, secret] as const);
  return Object.fromEntries([...named, ['PLAIN', plain]]);
}

function call(name: string, text: string, on: RawClient = client): ReturnType<RawClient['request']> {
  raw.push(JSON.stringify({ name, text }));
  return on.request(
    'tools/call',
    `"name":${JSON.stringify(name)},"arguments":{"text":${JSON.stringify(text)}}`,
  );
}

const secretsIn = (text: string): readonly string[] =>
  shaped.map(({ secret }) => secret).filter((secret) => text.includes(secret));

interface Line {
  readonly request?: string;
  readonly name?: string;
  readonly outcome?: string;
  readonly fault?: string;
  readonly level?: string;
}

const linesOf = (name: string): readonly Line[] =>
  client
    .said()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.request !== undefined && line.name === name);

describe('200 secrets in arguments, results, errors, names, addresses, server logs and variables', () => {
  it('appear in no log line and no span', async () => {
    for (const { text, secret } of shaped) {
      const answer = await call('up_tell', text);
      expect(answer.text).toContain(JSON.stringify(text).slice(1, -1));
      expect((await call('up_refuse', text)).error).toContain(JSON.stringify(text).slice(1, -1));
      await call(text, secret);
      await client.request('resources/read', `"uri":${JSON.stringify(`x://h/?token=${secret}`)}`);
    }
    await call('the_last_one', '');
    await waitFor(
      () => linesOf('the_last_one').length === 1 && collector.texts.join('').includes('the_last_one'),
      10_000,
      () => 'the last line or span did not come',
    );
    const told = [client.said(), ...collector.texts].join('\n');
    expect(linesOf('up_tell')).toHaveLength(shaped.length);
    expect(linesOf('up_refuse')).toHaveLength(shaped.length);
    expect(secretsIn(told)).toEqual([]);
    console.log(
      `secrets: n=${String(shaped.length)} shapes in 8 places, 0 found (seed ${String(random.seed)})`,
    );
  });

  it('control: without redaction the same search finds all of them', () => {
    expect(secretsIn(raw.join('\n'))).toHaveLength(shaped.length);
  });

  it('that cannot be recognized are left out too, because arguments, envelopes and variables are not written', async () => {
    const quiet = openPlace({
      servers: { up: { ...nodeServer('telling-server.mjs'), env: { PLAIN: plain } } },
      log: { level: 'info' },
    });
    const other = await openRawStdio(quiet, { protocol: 'modern' });
    const escaped = `"name":"up_refuse","arguments":{"other":"${plain}"}`;
    await other.request('tools/call', escaped, { meta: `"note":"${plain}"` });
    await other.request('tools/call', `"name":"up_tell","arguments":{"other":"${plain}"}`);
    await other.close();
    expect(other.said()).toContain('up_refuse');
    expect(other.said()).not.toContain(plain);
    quiet.close();
  });
});

describe('there is one log line', () => {
  async function onlyLine(name: string): Promise<Line> {
    await waitFor(
      () => linesOf(name).length > 0,
      10_000,
      () => `no line for ${name}`,
    );
    const [line, ...more] = linesOf(name);
    expect(more).toEqual([]);
    return line ?? {};
  }

  it('for a call that timed out', async () => {
    await call('brief_hang', '');
    expect(await onlyLine('brief_hang')).toMatchObject({
      outcome: 'fault',
      fault: 'call.timeout',
      level: 'warn',
    });
  });

  it('for a call that was cancelled', async () => {
    const cancel = new AbortController();
    const gone = client.request('tools/call', '"name":"up_hang"', { signal: cancel.signal, timeoutMs: 500 });
    setTimeout(() => cancel.abort(), 50);
    await expect(gone).rejects.toThrow('no answer');
    expect(await onlyLine('up_hang')).toMatchObject({ outcome: 'fault', fault: 'call.cancelled' });
  });

  it('for a call whose server died', async () => {
    await call('brief_die', '');
    expect(await onlyLine('brief_die')).toMatchObject({ outcome: 'fault', fault: 'provider.lost' });
  });

  it('for a call to an absent tool', async () => {
    await call('no_such_thing', '');
    expect(await onlyLine('no_such_thing')).toMatchObject({ outcome: 'fault', fault: 'tool.not_found' });
  });

  it('each with a unique request id', () => {
    const ids = ['up_tell', 'up_refuse', 'brief_hang', 'up_hang', 'brief_die', 'no_such_thing'].flatMap(
      (name) => linesOf(name).map(({ request }) => request),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(400);
  });
});
