import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueServer, type Definition, manyTools } from '../support/catalogue.js';
import { count } from '../support/counts.js';
import { endProcess, openPlace, type Place, spawnStdioGate } from '../support/gate.js';
import { type LineClient, openLineClient } from '../support/line-client.js';
import { createRandom } from '../support/random.js';

// What an agent cannot see changes nothing of what it finds: the same gate with and without it answers in the same bytes.
const secret: readonly Definition[] = manyTools.map((tool) => ({
  ...tool,
  name: `secret_${tool.name}`,
  description: `${tool.description} secret`,
}));
const queries = count(1000);
const office = catalogueServer(manyTools);

interface Side {
  readonly place: Place;
  readonly client: LineClient;
  readonly instructions: string;
}

async function openSide(servers: object): Promise<Side> {
  const place = openPlace({ builtins: ['*'], servers });
  const granted = place.run('grant', 'agent:alice', 'server:office');
  if (granted.status !== 0) throw new Error(granted.stderr);
  const client = openLineClient(spawnStdioGate(place, '--as', 'agent:alice'));
  const opened = await client.initialize();
  return { place, client, instructions: JSON.stringify(opened) };
}

let plain: Side;
let full: Side;

beforeAll(async () => {
  plain = await openSide({ office });
  full = await openSide({
    office,
    vault: catalogueServer(secret),
    broken: catalogueServer([], { CATALOGUE_FAIL: '1' }),
    slow: catalogueServer(secret.slice(0, 3), { CATALOGUE_DELAY: '1500' }),
  });
}, 60_000);

afterAll(async () => {
  for (const { client, place } of [plain, full]) {
    await endProcess(client.child);
    place.close();
  }
});

async function ask(side: Side, name: string, args: object): Promise<string> {
  return JSON.stringify((await side.client.request('tools/call', { name, arguments: args })).message);
}

/** Ids of requests are the client's own, and both clients count alike. */
async function bothSay(name: string, args: object): Promise<readonly [string, string]> {
  return [await ask(plain, name, args), await ask(full, name, args)];
}

const words = [...new Set([...manyTools, ...secret].flatMap(({ name }) => name.split('_')))];

describe('tools, servers and words hidden from an agent', () => {
  it('change neither its list nor its instructions', async () => {
    expect(full.instructions).toBe(plain.instructions);
    const [a, b] = await Promise.all([plain, full].map(({ client }) => client.request('tools/list', {})));
    expect(JSON.stringify(b?.message)).toBe(JSON.stringify(a?.message));
  });

  it(`change nothing in ${String(queries)} searches: order, scores, counts, servers`, async () => {
    const random = createRandom();
    for (let at = 0; at < queries; at += 1) {
      const query = Array.from({ length: 1 + random.below(4) }, () => random.pick(words)).join(' ');
      const asked = random.chance(0.2) ? `select:vault_secret_${query},office_share_photo` : query;
      const [a, b] = await bothSay('tool_search', { query: asked, max_results: 1 + random.below(25) });
      expect(b, JSON.stringify({ seed: random.seed, asked })).toBe(a);
    }
  }, 600_000);

  it('cannot be found through the other tools either', async () => {
    for (const [name, args] of [
      ['tool_search', {}],
      ['call_tool', { name: 'vault_secret_share_photo', arguments: { id: 'x' } }],
      ['wait_for_servers', { servers: ['vault', 'slow', 'nobody'], timeout_ms: 50 }],
      ['vault_secret_share_photo', { id: 'x' }],
      ['discovery_search_tools', { query: 'secret' }],
    ] as const) {
      const [a, b] = await bothSay(name, args);
      expect(withoutTimes(b), name).toBe(withoutTimes(a));
    }
  });

  it('control: a caller that can see them finds them', async () => {
    const seen = full.place.run('tools', 'search', 'secret', 'photo', '--json');
    expect(seen.stdout).toContain('vault_secret_');
  });
});

function withoutTimes(text: string): string {
  return text.replaceAll(/"waited_ms":\d+/g, '"waited_ms":0');
}
