import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenCommands, type MadeToken } from '../support/client-tokens.js';
import { type HttpGate, openHttpGate, openPlace, type Place, waitFor } from '../support/gate.js';
import { type HttpClient, modernHeaders, openHttpClient } from '../support/http-client.js';
import { findMarked, hasProc } from '../support/proc.js';

let place: Place;
let gate: HttpGate;
let client: HttpClient;
let lastTag = 0;

beforeAll(async () => {
  place = openPlace({ builtins: ['*'], access: { default_profile: 'full' } });
  gate = await openHttpGate(place);
  client = openHttpClient(gate.base);
});
afterAll(async () => {
  client.close();
  await gate.close();
  place.close();
});

function createTag(): string {
  lastTag += 1;
  return `3600.7${String(process.pid).padStart(8, '0')}${String(lastTag).padStart(4, '0')}`;
}

const runs = (tag: string): boolean => findMarked(tag).length > 0;
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

type Start = (secret: string, given: object) => Promise<unknown>;

const overModern: Start = (secret, given) => {
  const params = { name: 'Bash', arguments: given, _meta: meta };
  const headers = { ...modernHeaders('tools/call', 'Bash'), authorization: `Bearer ${secret}` };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  return client.send('/mcp', body, { headers });
};

const overApi: Start = (secret, given) =>
  client.send('/api/tools/Bash/call', JSON.stringify(given), {
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    limitMs: 100_000,
  });

const ways = [
  ['2026-07-28', overModern],
  ['the admin API', overApi],
] as const;

async function started(start: Start, secret: string): Promise<string> {
  const tag = createTag();
  await start(secret, { command: `sleep ${tag}`, run_in_background: true });
  await waitFor(
    () => runs(tag),
    15_000,
    () => 'the command did not start',
  );
  return tag;
}

const create = (...more: readonly string[]): Promise<MadeToken> =>
  tokenCommands(place).create('agent:alice', '--profile', 'full', ...more);

async function ends(tag: string): Promise<void> {
  await waitFor(
    () => !runs(tag),
    40_000,
    () => 'the command goes on',
  );
}

describe.skipIf(!hasProc)('[15.48] the background commands of a token', () => {
  it.each(ways)('end when it is revoked, over %s; those of another token continue', async (_way, start) => {
    const [bad, good] = [await create(), await create()];
    const [gone, control] = [await started(start, bad.secret), await started(start, good.secret)];
    await tokenCommands(place).revoke(bad.id);
    await ends(gone);
    expect(runs(control)).toBe(true);
  });

  it.each(ways)('end when it expires, over %s; those of another token continue', async (_way, start) => {
    const expires = new Date(Date.now() + 12_000).toISOString();
    const [brief, long] = [await create('--expires', expires), await create()];
    const [gone, control] = [await started(start, brief.secret), await started(start, long.secret)];
    await ends(gone);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires));
    expect(runs(control)).toBe(true);
  });

  it('end when it is revoked, even if the admin API waits for them', async () => {
    const [token, tag] = [await create(), createTag()];
    const call = overApi(token.secret, { command: `sleep ${tag}` }).catch(() => undefined);
    await waitFor(
      () => runs(tag),
      15_000,
      () => 'the command did not start',
    );
    await tokenCommands(place).revoke(token.id);
    await ends(tag);
    await call;
  });
});
