import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attenuateToken, makeToken, openAccessPlace } from '../support/access-place.js';
import { type HttpGate, openHttpGate, type Place } from '../support/gate.js';
import { openRawHttp, type RawClient } from '../support/raw-client.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

let open: ScriptedUpstream;
let secret: ScriptedUpstream;
let place: Place;
let gate: HttpGate;
const clients: RawClient[] = [];

const tool = (name: string, words: string): string =>
  JSON.stringify({ name, description: words, inputSchema: { type: 'object' } });
const serverWith = (name: string, words: string): Promise<ScriptedUpstream> =>
  openScripted('stdio', 'legacy', {
    lists: { 'tools/list': [tool(name, words), tool(`${name}_two`, words)] },
    answers: { 'tools/call': { [name]: { result: '{"content":[{"type":"text","text":"done"}]}' } } },
  });

beforeEach(async () => {
  open = await serverWith('paint', 'Paints a wall in a colour.');
  secret = await serverWith('launch', 'Launches the rocket.');
  place = openAccessPlace({
    builtins: ['tool_search', 'call_tool'],
    servers: { open: open.entry, secret: secret.entry },
    access: { default_profile: 'full' },
    context: { lazy: 'on' },
  });
  gate = await openHttpGate(place);
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await gate.close();
  place.close();
  await open.close();
  await secret.close();
});

async function clientOf(token: string): Promise<RawClient> {
  const client = await openRawHttp(gate, token, { protocol: 'legacy' });
  clients.push(client);
  return client;
}

const callOf = async (client: RawClient, name: string, given: object): Promise<string> =>
  (await client.request('tools/call', `"name":"${name}","arguments":${JSON.stringify(given)}`)).text;
const search = (client: RawClient, query: string): Promise<string> =>
  callOf(client, 'tool_search', { query });

/** A parent that uses a tool, and the search of a child that was made from it. */
async function searchOfChild(...limits: readonly string[]): Promise<string> {
  const parent = await makeToken(place, '--as', 'agent:alice');
  const child = await attenuateToken(place, '--from', parent.id, '--as', 'agent:helper', ...limits);
  const alice = await clientOf(parent.secret);
  expect(await search(alice, 'launch the rocket')).toContain('secret_launch');
  expect(await callOf(alice, 'secret_launch', {})).toContain('done');
  return search(await clientOf(child.secret), 'paint a wall');
}

describe('[15.16] a search with a derived token', () => {
  it('names no active tool of the parent that is hidden from it', async () => {
    const found = await searchOfChild('--tools', '*,!secret_*');
    expect(found).toContain('open_paint');
    expect(found).not.toContain('secret');
  });

  it('control: a session learns which of its own tools are gone', async () => {
    const { secret: token } = await makeToken(place, '--as', 'agent:alice');
    const alice = await clientOf(token);
    await search(alice, 'launch the rocket');
    expect(await callOf(alice, 'secret_launch', {})).toContain('done');
    expect(place.run('grant', 'agent:alice', 'server:secret', '--block').status).toBe(0);
    expect(await search(alice, 'paint a wall')).toContain('secret_launch');
  });
});
