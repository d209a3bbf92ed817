// A small message can cause a lot of work: the gateway counts its entries and rejects it.
import { afterEach, expect, it } from 'vitest';
import { openPluginPlace, type PluginPlace } from '../support/plugin-place.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function open(...behaviours: readonly string[]): PluginPlace {
  const place = openPluginPlace({ peer: { behaviours } });
  closers.push(() => place.close());
  place.trustPlugins('peer');
  return place;
}

it('a result with millions of entries is refused at once, and one with many bytes is not', () => {
  const place = open('swell');
  const started = performance.now();
  const refused = place.run('plugin', 'call', 'peer', 'swell', `bytes=${String(32 * 1024 * 1024)}`);
  expect(performance.now() - started).toBeLessThan(15_000);
  expect(refused.status).not.toBe(0);
  expect(`${refused.stdout}${refused.stderr}`).toContain('does not implement the plugin protocol');
  // The controls: few entries, and many bytes. Five mebibytes pass in test/security/plugin-faults.test.ts.
  expect(place.run('plugin', 'call', 'peer', 'swell', 'bytes=2').stderr).not.toContain('protocol');
  expect(place.run('plugin', 'call', 'peer', 'big', 'bytes=400000').status).toBe(0);
});

it.each([
  ['swelling-list', 'more than 100000 fields'],
  ['long-list', 'bytes'],
])('a list that is too large disables the plugin: %s', (behaviour, why) => {
  const place = open(behaviour);
  const started = performance.now();
  const shown = place.run('plugin', 'show', 'peer');
  expect(performance.now() - started).toBeLessThan(15_000);
  expect(shown.status).not.toBe(0);
  expect(`${shown.stdout}${shown.stderr}`).toContain(why);
});
