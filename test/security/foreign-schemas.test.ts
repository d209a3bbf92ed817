import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpGate, openHttpGate, openPlace, type Place, waitFor } from '../support/gate.js';
import { openRawHttp, type RawClient, tokenOf } from '../support/raw-client.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

/** Each level refers twice to the next: 2^40 visits for a validator that follows them all. */
function bomb(): object {
  const $defs: Record<string, object> = { d40: { type: 'object' } };
  for (let level = 39; level >= 0; level -= 1) {
    const next = { $ref: `#/$defs/d${String(level + 1)}` };
    $defs[`d${String(level)}`] = { allOf: [next, next] };
  }
  return { type: 'object', $ref: '#/$defs/d0', $defs };
}

const tool = (name: string, inputSchema: object): string => JSON.stringify({ name, inputSchema });
const done = { result: '{"content":[{"type":"text","text":"done"}]}' };

describe('a server with a schema that takes forever to check', () => {
  let up: ScriptedUpstream;
  let place: Place;
  let gate: HttpGate;
  let client: RawClient;

  beforeAll(async () => {
    up = await openScripted('stdio', 'legacy', {
      lists: {
        'tools/list': [
          tool('bomb', bomb()),
          tool('sound', { type: 'object', required: ['a'], properties: { a: { type: 'number' } } }),
        ],
      },
      answers: { 'tools/call': { bomb: done, sound: done } },
    });
    place = openPlace({ servers: { up: up.entry }, context: { lazy: 'on' }, builtins: ['*'] });
    gate = await openHttpGate(place);
    client = await openRawHttp(gate, tokenOf(place), { protocol: 'legacy' });
  });
  afterAll(async () => {
    await client.close();
    await gate.close();
    place.close();
    await up.close();
  });

  const call = async (name: string, given: string): Promise<string> =>
    (await client.request('tools/call', `"name":"up_${name}","arguments":${given}`)).text;

  it('[15.9] does not block the gateway: its call reaches the server, and others are answered', async () => {
    expect(tool('bomb', bomb()).length).toBeLessThan(4096);
    const [answer, health] = await Promise.all([call('bomb', '{}'), fetch(`${gate.base}/healthz`)]);
    expect(answer).toContain('"text":"done"');
    expect(health.ok).toBe(true);
    expect(up.heardOf('tools/call').some((text) => text.includes('"bomb"'))).toBe(true);
    await waitFor(
      () => gate.said().includes('the input schema takes too long to check'),
      20_000,
      () => `the gateway said ${gate.said()}`,
    );
  });

  it('[15.9] control: a normal schema is still checked', async () => {
    expect(await call('sound', '{}')).toContain('a is missing');
    expect(await call('sound', '{"a":1}')).toContain('"text":"done"');
  });
});
