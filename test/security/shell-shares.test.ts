import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeToken, openAccessPlace } from '../support/access-place.js';
import { type HttpGate, openHttpGate, type Place } from '../support/gate.js';
import { type HttpClient, openHttpClient, openLegacySession } from '../support/http-client.js';
import { hasProc } from '../support/proc.js';
import { tokenOf } from '../support/raw-client.js';

/** As many commands as the gateway runs at once. */
const all = 64;
let place: Place;
let gate: HttpGate;
let client: HttpClient;
let lastId = 0;

beforeEach(async () => {
  place = openAccessPlace({ builtins: ['*'], access: { default_profile: 'full' } });
  gate = await openHttpGate(place);
  client = openHttpClient(gate.base, 256);
});
afterEach(async () => {
  client.close();
  await gate.close();
  place.close();
});

interface Agent {
  bash(input: object): Promise<string>;
  /** Starts commands that take long, and resolves when each of them runs or was refused. */
  hold(count: number, input?: object): Promise<void>;
}

async function openAgent(secret: string): Promise<Agent> {
  const headers = await openLegacySession(client, {}, { authorization: `Bearer ${secret}` });
  const bash = async (input: object): Promise<string> => {
    const params = { name: 'Bash', arguments: input };
    lastId += 1;
    const body = JSON.stringify({ jsonrpc: '2.0', id: lastId, method: 'tools/call', params });
    return (await client.send('/mcp', body, { headers, limitMs: 300_000 })).text;
  };
  return {
    bash,
    async hold(count, input = {}) {
      const long = { command: 'sleep 200', timeout: 250_000, ...input };
      const calls = Array.from({ length: count }, () => bash(long).catch(() => ''));
      // Commands start one after the other, so a later one ends, or is refused, after all of these began.
      await Promise.race([Promise.all(calls), bash({ command: 'true' })]);
    },
  };
}

async function openAgentOf(name: string): Promise<Agent> {
  return openAgent((await makeToken(place, '--as', `agent:${name}`, '--profile', 'full')).secret);
}

describe.skipIf(!hasProc)('[15.13] one principal', () => {
  it('leaves slots for commands of others and of the operator', async () => {
    const [alice, bob] = [await openAgentOf('alice'), await openAgentOf('bob')];
    expect(await bob.bash({ command: 'echo before' })).toContain('before');
    await alice.hold(all);
    expect(await alice.bash({ command: 'echo more' })).toContain('too_many_commands');
    expect(await bob.bash({ command: 'echo beside' })).toContain('beside');
    const operator = await openAgent(tokenOf(place));
    expect(await operator.bash({ command: 'echo operator' })).toContain('operator');
  });

  it('leaves slots in the background, with any number of sessions', async () => {
    const { secret } = await makeToken(place, '--as', 'agent:alice', '--profile', 'full');
    const background = { run_in_background: true };
    for (let session = 0; session < 5; session += 1) {
      await (await openAgent(secret)).hold(8, background);
    }
    const bob = await openAgentOf('bob');
    expect(await bob.bash({ command: 'echo beside', ...background })).toContain('background_id');
    const operator = await openAgent(tokenOf(place));
    expect(await operator.bash({ command: 'echo beside', ...background })).toContain('background_id');
  });

  it('control: the operator, who has no share, uses all of them', async () => {
    const [operator, bob] = [await openAgent(tokenOf(place)), await openAgentOf('bob')];
    await operator.hold(all);
    expect(await bob.bash({ command: 'echo beside' })).toContain('too_many_commands');
  });
});
