import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccessStore } from '../../src/access/ports/index.js';
import { createRandom, randomTuples, type RuledTool, ruledOn, type Words } from '../support/access-rules.js';
import { type BuiltStores, buildStores } from '../support/built-stores.js';
import { count } from '../support/counts.js';
import { endProcess, openPlace, type Place, spawnStdioGate } from '../support/gate.js';
import { type LineClient, openLineClient } from '../support/line-client.js';

// Whoever lists, calls, or is told of a change gets one answer: the one that the tuples give. Rights are written by this
// process; the gate, another one, has its caches on.
const worlds = count(10_000);
const alice = 'principal:agent/alice';
const markServer = fileURLToPath(new URL('../fixtures/servers/marked-server.mjs', import.meta.url));
const tiers: Readonly<Record<string, number>> = {
  Bash: 3,
  BashOutput: 3,
  KillBash: 3,
  execute_workflow: 3,
  list_workflows: 3,
};
const builtins = [
  ...['Bash', 'BashOutput', 'Edit', 'Glob', 'Grep', 'KillBash', 'Read', 'Write'],
  ...['execute_workflow', 'list_workflows'],
];
const tools: readonly RuledTool[] = [
  ...builtins.map((name) => ({
    name,
    localName: name,
    provider: 'builtin',
    tier: tiers[name] ?? 1,
  })),
  ...['mark', 'more'].flatMap((server) =>
    ['echo', 'ledger'].map((name) => ({
      name: `${server}_${name}`,
      localName: name,
      provider: `server/${server}`,
    })),
  ),
];

let place: Place;
let stores: BuiltStores;
let store: AccessStore;
let client: LineClient;

beforeAll(async () => {
  const server = { command: process.execPath, args: [markServer], tools: ['echo', 'ledger'] };
  place = openPlace({ builtins: ['*'], servers: { mark: server, more: server } });
  stores = await buildStores();
  store = await stores.openSqliteStore({ file: join(place.env['TIDEGATE_HOME'] ?? '', 'state.db') });
  client = openLineClient(spawnStdioGate(place, '--as', 'agent:alice'));
  await client.initialize();
}, 120_000);

afterAll(async () => {
  await endProcess(client.child);
  await store.close();
  stores.close();
  place.close();
});

async function lay(tuples: readonly Words[]): Promise<void> {
  await store.write({
    zone: 'local',
    removeMatching: [{}],
    add: tuples.map(([user, relation, object]) => ({ user, relation, object })),
    record: { at: Date.now(), zone: 'local', action: 'test', decision: 'allow', principal: 'user:test' },
  });
}

/** Without the discovery tools, which profiles name and no rule of this test knows: `wire/lazy-tools` covers them. */
async function listed(): Promise<readonly string[]> {
  const { result } = (await client.request('tools/list', {})).message;
  const found = result?.['tools'];
  if (!Array.isArray(found)) return [];
  const names = found.map((tool: { name: string }) => tool.name).sort();
  return names.filter((name) => !name.startsWith('discovery_'));
}

/**
 * Called with arguments that no tool takes: a callable tool refuses them. A hidden tool is unknown, and one that may only be seen
 * is not permitted.
 */
async function isCallable(name: string): Promise<boolean> {
  const { error, result } = (await client.request('tools/call', { name, arguments: { mark: 1, command: 1 } }))
    .message;
  if (error?.message === `Unknown tool: ${name}`) return false;
  return !JSON.stringify(result ?? error).includes('tool.not_permitted');
}

async function callable(): Promise<readonly string[]> {
  const answers = await Promise.all(tools.map(({ name }) => isCallable(name)));
  return tools.flatMap(({ name }, at) => (answers[at] === true ? [name] : [])).sort();
}

const everyName = tools.map(({ name }) => name);
const searchTool: RuledTool = { name: 'tool_search', localName: 'tool_search', provider: 'builtin', tier: 1 };

/** By name and by words; undefined where there is no search. */
async function searched(query: string): Promise<readonly string[] | undefined> {
  const params = { name: 'tool_search', arguments: { query, max_results: 25 } };
  const { result, error } = (await client.request('tools/call', params)).message;
  if (error !== undefined) return undefined;
  const { matches, total_matches } = result?.['structuredContent'] as {
    readonly matches: readonly { readonly name: string }[];
    readonly total_matches: number;
  };
  expect(total_matches).toBe(matches.length);
  return matches.map(({ name }) => name).sort();
}

function ruled(tuples: readonly Words[], action: 'see' | 'call'): readonly string[] {
  return tools
    .filter((tool) => ruledOn(tuples, alice, tool, 'minimal')[action])
    .map(({ name }) => name)
    .sort();
}

it(`in ${String(worlds)} random stores, list and search match what may be seen, and calls match what may be called`, async () => {
  const random = createRandom();
  const sizes = new Set<number>();
  for (let world = 0; world < worlds; world += 1) {
    const tuples = randomTuples(random, tools);
    await lay(tuples);
    const about = JSON.stringify({ seed: random.seed, world, tuples });
    // Half of the time the call comes first, so that no list brings the gate up to date for it.
    const isCallFirst = random.chance(0.5);
    const called = isCallFirst ? await callable() : undefined;
    expect(await listed(), about).toEqual(ruled(tuples, 'see'));
    expect(called ?? (await callable()), about).toEqual(ruled(tuples, 'call'));
    const pool = ruledOn(tuples, alice, searchTool, 'minimal').isOpen ? ruled(tuples, 'see') : undefined;
    expect(await searched(`select:${everyName.join(',')}`), about).toEqual(pool);
    expect(await searched(everyName.join(' ')), about).toEqual(pool);
    sizes.add(ruled(tuples, 'see').length);
  }
  // Worlds that are all alike would prove little.
  expect(sizes.size).toBeGreaterThan(5);
}, 3_600_000);

it('control: rules without blocks or roles are detected within a hundred stores', async () => {
  const random = createRandom(7);
  const wrong = { blocks: 0, roles: 0 };
  for (let world = 0; world < 100; world += 1) {
    const tuples = randomTuples(random, tools);
    await lay(tuples);
    const seen = (await listed()).join();
    if (
      seen !==
      ruled(
        tuples.filter(([, relation]) => relation !== 'blocked'),
        'see',
      ).join()
    )
      wrong.blocks += 1;
    if (
      seen !==
      ruled(
        tuples.filter(([, relation]) => relation !== 'member'),
        'see',
      ).join()
    )
      wrong.roles += 1;
  }
  expect(wrong.blocks).toBeGreaterThan(0);
  expect(wrong.roles).toBeGreaterThan(0);
});
