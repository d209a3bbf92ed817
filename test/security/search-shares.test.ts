import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeToken, openAccessPlace } from '../support/access-place.js';
import { type HttpGate, openHttpGate, type Place } from '../support/gate.js';
import { type HttpClient, openHttpClient, openLegacySession } from '../support/http-client.js';
import { tokenOf } from '../support/raw-client.js';

const limitMs = 120_000;
/** More than run at a time, each of them for seconds. */
const many = 120;
const patienceMs = 8000;
let place: Place;
let gate: HttpGate;
let client: HttpClient;
let lastId = 0;

beforeEach(async () => {
  place = openAccessPlace({ builtins: ['*'], access: { default_profile: 'full' } });
  const folder = dirname(place.configFile);
  for (const name of ['large', 'small']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'small', 'one.txt'), 'needle\n');
  writeFileSync(
    join(folder, 'large', 'text.txt'),
    'the quick brown fox jumps over the lazy dog\n'.repeat(4_000_000),
  );
  gate = await openHttpGate(place);
  client = openHttpClient(gate.base, 256);
}, limitMs);
afterEach(async () => {
  client.close();
  await gate.close();
  place.close();
});

type Grep = (pattern: string, path: string) => Promise<string>;

async function openAgent(secret: string): Promise<Grep> {
  const headers = await openLegacySession(client, {}, { authorization: `Bearer ${secret}` });
  return async (pattern, path) => {
    lastId += 1;
    const params = { name: 'Grep', arguments: { pattern, path } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: lastId, method: 'tools/call', params });
    return (await client.send('/mcp', body, { headers, limitMs })).text;
  };
}

async function openAgentOf(name: string): Promise<Grep> {
  return openAgent((await makeToken(place, '--as', `agent:${name}`, '--profile', 'full')).secret);
}

/** Starts searches that take long; gives what the first of them that is refused says. */
function flood(grep: Grep): Promise<string> {
  const calls = Array.from({ length: many }, (_, index) =>
    grep(`(?i)[a-z]+ (b.*n|q.*k) f[^x]*${index}q$`, 'large'),
  );
  return Promise.race(
    calls.map(async (call) => {
      const text = await call.catch(() => '');
      return text.includes('too_many_searches') ? text : new Promise<string>(() => {});
    }),
  );
}

describe('[15.10] one principal that searches constantly', () => {
  it('leaves slots for searches of others, and is told that it has too many', {
    timeout: limitMs,
  }, async () => {
    const [alice, bob] = [await openAgentOf('alice'), await openAgentOf('bob')];
    const refused = flood(alice);
    await sleep(1000);
    const since = performance.now();
    expect(await bob('needle', 'small')).toContain('one.txt');
    expect(performance.now() - since).toBeLessThan(patienceMs);
    expect(await refused).toContain('"retryable":true');
  });

  it('control: the operator, who has no share, uses all of them', { timeout: limitMs }, async () => {
    const [operator, bob] = [await openAgent(tokenOf(place)), await openAgentOf('bob')];
    expect(await bob('needle', 'small')).toContain('one.txt');
    void flood(operator);
    await sleep(1000);
    const waits = sleep(patienceMs).then(() => 'still waiting');
    expect(await Promise.race([bob('needle', 'small').catch(() => ''), waits])).toBe('still waiting');
  });
});
