import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeToken, openAccessPlace, runOk, trustAll } from '../support/access-place.js';
import { type HttpGate, openHttpGate, type Place, waitFor } from '../support/gate.js';
import { openRawHttp, type RawClient, tokenOf } from '../support/raw-client.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

/** A shared gateway whose configuration is tightened while an agent uses it. */
describe('tightened access settings of a running gateway', () => {
  let up: ScriptedUpstream;
  let place: Place;
  let gate: HttpGate;
  let agent: RawClient;

  const config = (more: object = {}): object => ({
    servers: { up: up.entry },
    access: { default_profile: 'full' },
    ...more,
  });

  beforeEach(async () => {
    up = await openScripted('stdio', 'legacy', {
      lists: { 'tools/list': ['{"name":"a","inputSchema":{"type":"object"}}'] },
      answers: { 'tools/call': { a: { result: '{"content":[{"type":"text","text":"done"}]}' } } },
    });
    place = openAccessPlace(config());
    const { secret } = await makeToken(place, '--as', 'agent:alice');
    gate = await openHttpGate(place);
    agent = await openRawHttp(gate, secret, { protocol: 'legacy' });
    // The control: what the tests below take away is there.
    expect(await callBy(agent)).toContain('"text":"done"');
  });
  afterEach(async () => {
    await agent.close();
    await gate.close();
    place.close();
    await up.close();
  });

  const callBy = async (client: RawClient): Promise<string> =>
    (await client.request('tools/call', '"name":"up_a","arguments":{}')).text;

  /** Edits and trusts the file, and waits until the gateway says that it has done so. */
  async function reload(next: object, sign = 'configuration reloaded'): Promise<void> {
    const before = gate.said().length;
    place.write(next);
    trustAll(place);
    await waitFor(
      () => gate.said().slice(before).includes(sign),
      20_000,
      () => `the gateway said ${gate.said()}`,
    );
  }

  const asOperator = async (): Promise<string> => {
    const operator = await openRawHttp(gate, tokenOf(place), { protocol: 'legacy' });
    try {
      return await callBy(operator);
    } finally {
      await operator.close();
    }
  };

  it('[15.43] apply default_profile: none at once, as `tidegate check` shows', async () => {
    await reload(config({ access: { default_profile: 'none' } }));
    expect(await callBy(agent)).toContain('Unknown tool');
    const ran = place.run('check', 'agent:alice', 'up_a', '--json');
    expect(ran.stdout).toContain('"deny"');
    expect(await asOperator()).toContain('"text":"done"');
    await reload(config());
    expect(await callBy(agent)).toContain('"text":"done"');
  });

  it('[15.43] apply another profiles file at once', async () => {
    const file = join(dirname(place.configFile), 'strict.yaml');
    writeFileSync(file, JSON.stringify({ default_profile: 'none', profiles: {} }));
    await reload(config({ access: { profiles: './strict.yaml' } }));
    expect(await callBy(agent)).toContain('Unknown tool');
  });

  it('[15.43] withdraw rights together with the trust of the file that granted them', async () => {
    expect(place.run('trust', '--forget', place.configFile).status).toBe(0);
    await waitFor(
      () => gate.said().includes('no longer trusted'),
      20_000,
      () => gate.said(),
    );
    await waitFor(
      async () => (await callBy(agent)).includes('Unknown tool'),
      20_000,
      () => gate.said(),
    );
  });

  it.each([
    ['access.zone', { access: { zone: 'other', default_profile: 'full' } }],
    ['store', { store: { kind: 'memory' } }],
  ])(
    '[15.43] close access when %s changes, report that a restart is needed, and open it after that',
    async (key, change) => {
      await reload(config(change));
      expect(gate.said()).toContain('restart Tidegate to apply these keys');
      expect(gate.said()).toContain(key);
      expect(await callBy(agent)).toContain('Unknown tool');
      expect(await asOperator()).toContain('"text":"done"');
      await reload(config());
      expect(await callBy(agent)).toContain('"text":"done"');
    },
  );

  it('[15.43] withdraw admin rights for a store that the file no longer names', async () => {
    const { secret } = await makeToken(place, '--as', 'agent:boss');
    await runOk(place, 'grant', 'agent:boss', '--admin');
    const ask = async (): Promise<number> =>
      (await fetch(`${gate.base}/api/tokens`, { headers: { authorization: `Bearer ${secret}` } })).status;
    const before = await ask();
    await reload(config({ store: { kind: 'memory' } }));
    expect([before, await ask()]).toEqual([200, 403]);
  });

  it('[15.43] close access if the new default profile does not exist', async () => {
    place.write(config({ access: { default_profile: 'nosuch' } }));
    place.run('trust', '--yes', place.configFile);
    await waitFor(
      () => gate.said().includes('the access settings have errors'),
      20_000,
      () => gate.said(),
    );
    expect(await callBy(agent)).toContain('Unknown tool');
  });

  it('[15.43] require a token as soon as http.auth: none is removed', async () => {
    await agent.close();
    await gate.close();
    place.write(config({ http: { auth: 'none' } }));
    trustAll(place);
    gate = await openHttpGate(place);
    agent = await openRawHttp(gate, tokenOf(place), { protocol: 'legacy' });
    const ask = async (): Promise<number> => (await fetch(`${gate.base}/api/servers`)).status;
    expect(await ask()).toBe(200);
    await reload(config());
    expect(await ask()).toBe(401);
  });
});
