import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeToken, openAccessPlace } from '../support/access-place.js';
import { type HttpGate, openHttpGate, type Place } from '../support/gate.js';
import { hasProc, memoryOf } from '../support/proc.js';
import { openRawHttp, type RawClient, tokenOf } from '../support/raw-client.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

const limitMs = 120_000;
const megabyte = 1024 * 1024;
let up: ScriptedUpstream;
let place: Place;
let gate: HttpGate;
const clients: RawClient[] = [];

beforeEach(async () => {
  up = await openScripted('stdio', 'legacy', {
    lists: { 'resources/list': ['{"uri":"x://a","name":"a"}'] },
  });
  place = openAccessPlace({ servers: { up: up.entry }, access: { default_profile: 'full' } });
  gate = await openHttpGate(place);
}, limitMs);
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await gate.close();
  place.close();
  await up.close();
});

async function open(secret: string): Promise<RawClient> {
  const client = await openRawHttp(gate, secret, { protocol: 'legacy' });
  clients.push(client);
  return client;
}

const principal = async (name: string): Promise<RawClient> =>
  open((await makeToken(place, '--as', name)).secret);

async function subscribe(client: RawClient, uri: string): Promise<string> {
  return (await client.request('resources/subscribe', `"uri":${JSON.stringify(uri)}`)).text;
}

/** Subscribes to long addresses, and tells how many were taken. */
async function fill(client: RawClient, chars: number): Promise<number> {
  let taken = 0;
  for (let count = 0; count < 24; count += 1) {
    const text = await subscribe(client, `x://${String(count)}/${'u'.repeat(chars)}`);
    if (text.includes('"result"')) taken += 1;
    else expect(text).toContain('too many subscriptions');
  }
  return taken;
}

describe('[15.12] subscriptions of one principal', () => {
  it('use at most the share of the principal', { timeout: limitMs }, async () => {
    const [alice, bob] = [await principal('agent:alice'), await principal('agent:bob')];
    const before = hasProc ? memoryOf(gate.child.pid ?? -1).now : 0;
    expect(await fill(alice, 4 * megabyte)).toBe(0);
    const taken = await fill(alice, megabyte / 2);
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(5);
    const after = hasProc ? memoryOf(gate.child.pid ?? -1).now : 0;
    expect(after - before).toBeLessThan(100 * megabyte);
    expect(await subscribe(bob, 'x://a')).toContain('"result"');
    expect(await subscribe(bob, `x://b/${'u'.repeat(megabyte / 4)}`)).toContain('"result"');
  });

  it('free their share when its session ends', { timeout: limitMs }, async () => {
    const secret = (await makeToken(place, '--as', 'agent:alice')).secret;
    const first = await openRawHttp(gate, secret, { protocol: 'legacy' });
    const taken = await fill(first, megabyte / 2);
    const second = await open(secret);
    expect(await fill(second, megabyte / 2)).toBe(0);
    await first.close();
    expect(await fill(second, megabyte / 2)).toBe(taken);
  });

  it('control: those of the operator, who has no share, leave nothing for others', {
    timeout: limitMs,
  }, async () => {
    const bob = await principal('agent:bob');
    expect(await fill(await open(tokenOf(place)), megabyte / 2)).toBeGreaterThan(5);
    expect(await subscribe(bob, `x://b/${'u'.repeat(megabyte / 4)}`)).toContain('too many subscriptions');
  });
});
