import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpGate, openHttpGate, openPlace, type Place, waitFor } from '../support/gate.js';
import { openRawHttp, tokenOf } from '../support/raw-client.js';
import { runGate } from '../support/run-program.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

const tool = (name: string, schema: string): string =>
  `{"name":"${name}","description":"d","inputSchema":{"type":"object","x":${schema}}}`;
const long = `{"description":"é${'x'.repeat(3 << 20)}"}`;
const nested = (depth: number, inner: string): string => '['.repeat(depth) + inner + ']'.repeat(depth);
/** Every name has to be looked at, and every description changed. */
const many = (count: number): string =>
  `{"properties":{${Array.from({ length: count }, (_none, at) => `"é${String(at)}":{"description":"\\u200b"}`).join(',')}}}`;
const honest = Array.from({ length: 30 }, (_none, at) => tool(`honest${String(at)}`, many(5000)));

describe('definitions that take long to read', () => {
  let up: ScriptedUpstream;
  let place: Place;
  let gate: HttpGate;
  let longestMs = 0;
  let listed = '';

  beforeAll(async () => {
    const hostile = [tool('deep', nested(900, long)), tool('long', long), tool('nested', nested(900, '"é"'))];
    up = await openScripted('stdio', 'legacy', {
      lists: { 'tools/list': [...hostile, tool('small', '1'), ...honest] },
    });
    place = openPlace({ servers: { up: up.entry }, builtins: ['Read'], context: { lazy: 'off' } });
    gate = await openHttpGate(place);
    const state = { isDone: false };
    const isDone = (): boolean => state.isDone;
    const list = async (): Promise<string> => {
      const client = await openRawHttp(gate, tokenOf(place), { protocol: 'legacy' });
      let text = '';
      const isThere = async (): Promise<boolean> => {
        text = '';
        for (let cursor: string | undefined = ''; cursor !== undefined; ) {
          const page: string = (
            await client.request('tools/list', cursor === '' ? '' : `"cursor":"${cursor}"`)
          ).text;
          text += page;
          cursor = /"nextCursor":"([^"]+)"/.exec(page)?.[1];
        }
        return text.includes('"up_honest29"');
      };
      await waitFor(isThere, 120_000, () => gate.said());
      await client.close();
      return text;
    };
    const work = list().finally(() => (state.isDone = true));
    while (!isDone()) {
      const began = performance.now();
      await fetch(`${gate.base}/healthz`);
      longestMs = Math.max(longestMs, performance.now() - began);
    }
    listed = await work;
  }, 180_000);
  afterAll(async () => {
    await gate.close();
    place.close();
    await up.close();
  });

  it('[15.9] do not delay other callers', () => {
    expect(longestMs).toBeLessThan(3000);
  });

  it('[15.9] are not offered if they are too long; control: the others are, however deep', () => {
    for (const name of ['deep', 'long']) expect(listed).not.toContain(`"up_${name}"`);
    for (const name of ['small', 'nested', 'honest0', 'honest29']) expect(listed).toContain(`"up_${name}"`);
  });

  it('[15.9] are reported', async () => {
    const { stdout } = await runGate(place, ['servers']);
    expect(stdout).toMatch(/not offered: .*tool "deep": its definition/);
  });
});
