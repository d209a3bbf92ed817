import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { done } from '../support/flow.js';
import { gatedAgent, gatedClis } from './support/gated.js';
import { agentStepOf, blocked, type GatedPlace, keyName, openGatedPlace } from './support/gated-place.js';

// Models that reject the API key or are unreachable. Without our limit, Codex would retry an unreachable model forever.

let place: GatedPlace;
let refusing: Server;
beforeAll(async () => {
  place = openGatedPlace();
  const error = { type: 'authentication_error', message: 'invalid x-api-key', code: 401 };
  refusing = createServer((request, response) => {
    request.resume();
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ type: 'error', error }));
  });
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  refusing.close();
  place.close();
});

const limitMs = 100_000;

async function run(gated: (typeof gatedClis)[number], origin: string) {
  const step = { tidegate: { tools: ['Read'] } };
  const states = { initial: 'a', a: agentStepOf(gated, { origin, url: `${origin}/v1` }, { step }), done };
  const file = place.file(`${gated.agent}.yaml`, JSON.stringify({ name: 'x', states }));
  const env = { ...place.agentEnv, ...blocked(gated, origin) };
  return place.run1(['run', file], { env, limitMs });
}

describe('a model that does not answer', () => {
  it.each(gatedClis)('$title: a rejected key is reported with a remedy', async (gated) => {
    const { port } = refusing.address() as AddressInfo;
    const { stdout, stderr, status } = await run(gated, `http://127.0.0.1:${String(port)}`);
    expect(stdout).toContain('EXECUTION.AGENT.UNAUTHORIZED');
    expect(stderr).toContain(`next: set ${keyName} to a valid API key`);
    expect(status).toBe(3);
  });

  it('is reported during the wait, and given up if nothing listens', async () => {
    const started = performance.now();
    const { stdout, status } = await run(gatedAgent('codex'), 'http://127.0.0.1:9');
    expect(stdout).toMatch(/a retrying: Reconnecting/);
    expect(stdout).toContain('a waiting for the model … 10 s');
    expect(stdout).toContain(
      'EXECUTION.AGENT.UNAVAILABLE: Codex cannot reach its model: nothing is listening at',
    );
    expect(stdout).toContain('http://127.0.0.1:9/v1');
    expect(status).toBe(3);
    expect(performance.now() - started).toBeLessThan(60_000);
  });
});
