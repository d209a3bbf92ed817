import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeToken, openAccessPlace } from '../support/access-place.js';
import { type HttpGate, openHttpGate, type Place } from '../support/gate.js';
import { type HttpClient, openHttpClient } from '../support/http-client.js';

const limitMs = 180_000;
/** Each reads a file of some 40 MB to its end: all of them take many seconds. */
const reads = 400;
const lines = 400_000;
let place: Place;
let gate: HttpGate;
let client: HttpClient;

beforeEach(async () => {
  place = openAccessPlace({ builtins: ['Read'], access: { default_profile: 'full' } });
  const folder = dirname(place.configFile);
  writeFileSync(join(folder, 'large.txt'), `${'line of text '.repeat(8)}\n`.repeat(lines));
  writeFileSync(join(folder, 'small.txt'), 'a few words\n');
  gate = await openHttpGate(place);
  client = openHttpClient(gate.base, 2000);
}, limitMs);
afterEach(async () => {
  client.close();
  await gate.close();
  place.close();
});

async function secretOf(principal: string): Promise<string> {
  return (await makeToken(place, '--as', principal, '--profile', 'full')).secret;
}

async function read(secret: string, given: object): Promise<{ readonly text: string; readonly at: number }> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const { text } = await client.send('/api/tools/Read/call', JSON.stringify(given), { headers, limitMs });
  return { text, at: performance.now() };
}

describe('[15.10] file reads of one principal', () => {
  it('take turns with those of others', { timeout: limitMs }, async () => {
    const [alice, bob] = [await secretOf('agent:alice'), await secretOf('agent:bob')];
    const flood = Array.from({ length: reads }, () =>
      read(alice, { file_path: 'large.txt', offset: lines - 10, limit: 1 }),
    );
    await Promise.race(flood);
    const [bobs, alices] = await Promise.all([
      read(bob, { file_path: 'small.txt' }),
      // The control: what the same principal reads waits for what it asked for before.
      read(alice, { file_path: 'small.txt' }),
    ]);
    const ends = (await Promise.all(flood)).map(({ text, at }) => {
      expect(text).toContain('line of text');
      return at;
    });
    expect([bobs.text, alices.text].every((text) => text.includes('a few words'))).toBe(true);
    const before = (at: number): number => ends.filter((end) => end < at).length;
    console.log(`ended before: bob's ${String(before(bobs.at))}, alice's ${String(before(alices.at))}`);
    expect(before(bobs.at)).toBeLessThan(reads / 4);
    expect(before(alices.at)).toBeGreaterThan(reads / 2);
  });
});
