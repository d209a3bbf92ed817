import { afterEach, describe, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import { openHttpGate, openPlace, type Place, waitFor } from '../support/gate.js';
import {
  listMembers,
  pageOf,
  pagingServer,
  type PagingOptions,
  walkTools,
  withStdioClient,
} from '../support/listing.js';
import { openRawHttp, type RawClient, tokenOf } from '../support/raw-client.js';
import { createRandom } from '../support/random.js';

const many = 10_000;
const places: Place[] = [];
const random = createRandom();

afterEach(() => {
  for (const place of places.splice(0)) place.close();
});

function openServers(servers: Readonly<Record<string, unknown>>, more: object = {}): Place {
  const place = openPlace({ servers, log: { level: 'error' }, ...more });
  places.push(place);
  return place;
}

const numbered = (total: number): readonly string[] =>
  Array.from({ length: total }, (_, at) => `up_t${String(at).padStart(5, '0')}`);
const all = (total: number): readonly string[] => ['up_grow', 'up_pages', ...numbered(total)];

function hasDuplicates(names: readonly string[]): boolean {
  return new Set(names).size !== names.length;
}

async function callText(client: RawClient, name: string): Promise<string> {
  const { text } = await client.request('tools/call', `"name":"${name}","arguments":{}`);
  return text;
}

describe('a server with 10,000 tools', () => {
  it.each([
    { pages: 1, protocol: 'legacy' },
    { pages: 7, protocol: 'modern' },
    { pages: 100, protocol: 'legacy' },
    { pages: 1000, protocol: 'modern' },
  ] as const)(
    'is listed completely and in its own order: $pages pages, $era',
    async ({ pages, protocol }) => {
      const place = openServers({
        up: pagingServer({ tools: many - 2, size: Math.ceil(many / pages), protocol }),
      });
      for (const client of ['legacy', 'modern'] as const) {
        const started = performance.now();
        await withStdioClient(place, { protocol: client }, async (asking) => {
          await asking.request('tools/list', '');
          const ms = performance.now() - started;
          // The first list may have been answered before the last page came: the rest follows.
          await waitFor(
            async () => (await walkTools(asking)).names.length === many,
            20_000,
            () => 'not all tools were found',
          );
          const first = await walkTools(asking);
          const second = await walkTools(asking);
          console.log(
            `${String(pages)} pages, ${protocol} server, ${client} client: start and first list ${ms.toFixed(0)} ms, ` +
              `${String(first.names.length)} tools in ${String(first.texts.length)} pages`,
          );
          expect(first.names).toEqual(all(many - 2));
          expect(second.texts).toEqual(first.texts);
          expect(ms).toBeLessThan(20_000);
        });
      }
    },
  );

  it('is listed the same over HTTP, with both protocol versions', async () => {
    const place = openServers({ up: pagingServer({ tools: many - 2, size: 500 }) });
    const gate = await openHttpGate(place);
    for (const protocol of ['legacy', 'modern'] as const) {
      const client = await openRawHttp(gate, tokenOf(place), { protocol });
      await waitFor(
        async () => (await walkTools(client)).names.length === many,
        20_000,
        () => 'not all tools were found',
      );
      const { names, cursors } = await walkTools(client);
      expect(names).toEqual(all(many - 2));
      expect(hasDuplicates(cursors)).toBe(false);
      await client.close();
    }
    await gate.close();
  });
});

describe('broken pagination', () => {
  const rest = { mode: 'whole', tools: 5, names: ['other'] } as const;
  const cases: readonly (readonly [string, PagingOptions, number, number])[] = [
    // Tools that are there, and the most pages that the gate may ask for in one list.
    ['cyclic cursors', { mode: 'loop', tools: 250, size: 100 }, 252, 4],
    ['a cursor that repeats itself', { mode: 'repeat', tools: 250, size: 100 }, 200, 3],
    ['a new cursor each time', { mode: 'endless' }, 1000, 1000],
  ];

  it.each(
    cases.flatMap((one) => (['legacy', 'modern'] as const).map((protocol) => [...one, protocol] as const)),
  )('is detected: %s (%s %s %s, %s)', async (_what, requests, most, mostPages, protocol) => {
    const place = openServers({ up: pagingServer({ ...requests, protocol }), more: pagingServer(rest) });
    await withStdioClient(place, { protocol }, async (client) => {
      const started = performance.now();
      const first = await walkTools(client);
      expect(performance.now() - started).toBeLessThan(15_000);
      expect(first.names).toContain('more_other');
      await waitFor(
        async () => (await walkTools(client)).names.some((name) => name.startsWith('up_')),
        10_000,
        () => 'what was listed before the loop is not shown',
      );
      const { names } = await walkTools(client);
      const own = names.filter((name) => name.startsWith('up_'));
      expect(hasDuplicates(names)).toBe(false);
      expect(own.length).toBeLessThanOrEqual(most);
      if (requests.mode === 'endless') return;
      expect(own.length).toBe(most);
      const asked = /"text":"(\d+)"/.exec(await callText(client, 'up_pages'))?.[1];
      expect(Number(asked)).toBeLessThanOrEqual(mostPages);
    });
  });
});

describe('cursors', () => {
  it('that we did not issue get -32602, with both protocol versions', async () => {
    const place = openServers({ up: pagingServer({ tools: 2500, size: 500 }) });
    const rounds = count(1000);
    for (const protocol of ['legacy', 'modern'] as const) {
      await withStdioClient(place, { protocol }, async (client) => {
        const { cursors, names } = await walkTools(client);
        expect(names).toHaveLength(2502);
        const [good = ''] = cursors;
        const tag = good.slice(0, good.lastIndexOf('.'));
        const wrong = [
          '',
          '0',
          '1',
          'c1',
          good.toUpperCase(),
          `${good} `,
          `${tag}.0`,
          `${tag}.99`,
          `${tag}.-1`,
        ];
        while (wrong.length < rounds) wrong.push(mutated(good));
        for (const cursor of wrong) {
          if (cursors.includes(cursor)) continue;
          const { error } = await client.request('tools/list', listMembers(cursor));
          expect(error, cursor).toContain('-32602');
        }
        for (const text of ['7', 'null', '{}', '["x"]', 'true']) {
          const { error } = await client.request('tools/list', `"cursor":${text}`);
          expect(error, text).toContain('-32602');
        }
        const foreign = await client.request('prompts/list', listMembers(good));
        expect(foreign.error).toContain('-32602');
        expect(pageOf(await client.request('tools/list', listMembers(good))).tools.length).toBeGreaterThan(0);
        console.log(
          `wrong cursors, ${protocol}: n=${String(wrong.length + 6)} (seed ${String(random.seed)})`,
        );
      });
    }
  });

  it.each([
    ['legacy', 'legacy'],
    ['legacy', 'modern'],
    ['modern', 'legacy'],
    ['modern', 'modern'],
  ] as const)(
    'never mix two lists if tools change between pages: %s client, %s server',
    async (protocol, server) => {
      const place = openServers({ up: pagingServer({ tools: 2500, size: 500, protocol: server }) });
      await withStdioClient(place, { protocol }, async (client) => {
        for (let round = 1; round <= 5; round += 1) {
          const before = await walkTools(client);
          const [cursor] = before.cursors;
          await callText(client, 'up_grow');
          // Until the gate has listed anew, the old cursor leads through the old list; afterwards it leads nowhere.
          await waitFor(
            async () => {
              const { result, error } = await client.request('tools/list', listMembers(cursor));
              if (result !== undefined) expect(result).toBe(before.texts[1]);
              return error?.includes('-32602') === true;
            },
            10_000,
            () => 'the old cursor still leads on',
          );
          const { names } = await walkTools(client);
          expect(names).toHaveLength(2502 + round);
          expect(hasDuplicates(names)).toBe(false);
        }
        const told = client.heard.filter((text) => text.includes('notifications/tools/list_changed'));
        if (protocol === 'legacy') expect(told.length).toBeGreaterThan(0);
      });
    },
  );
});

describe('the first list', () => {
  it.each(['legacy', 'modern'] as const)(
    'does not wait for a server that hangs: %s client',
    async (protocol) => {
      const place = openServers({
        mute: pagingServer({ mode: 'silent' }),
        up: pagingServer({ tools: 50 }),
      });
      await withStdioClient(place, { protocol }, async (client) => {
        const started = performance.now();
        const { names } = await walkTools(client);
        const ms = performance.now() - started;
        console.log(`first list beside a hanging server, ${protocol}: ${ms.toFixed(0)} ms`);
        expect(names).toEqual(all(50));
        expect(ms).toBeLessThan(10_000);
        const again = performance.now();
        await walkTools(client);
        expect(performance.now() - again).toBeLessThan(5_000);
      });
    },
  );

  it('is followed by list_changed when a slow server arrives', async () => {
    const place = openServers({
      late: pagingServer({ mode: 'slow', delayMs: 3000, tools: 3 }),
      up: pagingServer({ tools: 3 }),
    });
    await withStdioClient(place, { protocol: 'legacy' }, async (client) => {
      expect((await walkTools(client)).names).toEqual(all(3));
      await waitFor(
        () => client.heard.some((text) => text.includes('notifications/tools/list_changed')),
        10_000,
        () => 'nobody told of the late server',
      );
      const { names } = await walkTools(client);
      // In the order of the configuration, whoever came first.
      expect(names).toEqual([...all(3).map((name) => name.replace('up_', 'late_')), ...all(3)]);
    });
  });
});

describe('names', () => {
  const colliding = {
    first: { ...pagingServer({ names: ['same', 'one'] }), prefix: '' },
    second: { ...pagingServer({ names: ['two', 'same', 'three'] }), prefix: '' },
  };

  it('[15.5] shared by two servers stay with the first one, and both are reported', async () => {
    const place = openServers(colliding);
    await withStdioClient(place, { protocol: 'legacy' }, async (client) => {
      expect((await walkTools(client)).names).toEqual(['same', 'one', 'two', 'three']);
      expect(await callText(client, 'same')).toContain('same called');
      expect(await callText(client, 'two')).toContain('two called');
    });
    const { stdout } = place.run('servers', '--config', place.configFile);
    expect(stdout).toMatch(/second\s+(?:ready|idle)/);
    expect(stdout).toContain('second: not offered: "same" belongs to first');
    const json = place.run('servers', '--json', '--config', place.configFile);
    expect(json.stdout).toContain('\\"same\\" belongs to first');
  });

  it('that collide are shown in the admin API, and no longer once a prefix separates them', async () => {
    const place = openServers(colliding);
    const gate = await openHttpGate(place);
    const read = async (): Promise<string> => {
      const headers = { authorization: `Bearer ${tokenOf(place)}` };
      return (await fetch(`${gate.base}/api/servers`, { headers })).text();
    };
    await waitFor(
      async () => (await read()).includes('\\"same\\" belongs to first'),
      10_000,
      () => 'the collision is not told',
    );
    place.write({ servers: { ...colliding, second: { ...colliding.second, prefix: 'b-' } } });
    place.trust();
    const client = await openRawHttp(gate, tokenOf(place), { protocol: 'modern' });
    await waitFor(
      async () => (await walkTools(client)).names.join() === 'same,one,b-two,b-same,b-three',
      20_000,
      () => 'the prefix did not help',
    );
    expect(await read()).not.toContain('not offered');
    expect(await callText(client, 'b-same')).toContain('same called');
    await client.close();
    await gate.close();
  });

  it.each([
    [['t0000?'], 10],
    [['grow', 'pages'], 2],
    [['!t*'], 2],
    [['*', '!t0001*'], 92],
    [['nothing-like-it'], 0],
  ] as const)('are filtered: %j', async (tools, expected) => {
    const place = openServers({ up: { ...pagingServer({ tools: 100, size: 7 }), tools } });
    await withStdioClient(place, { protocol: 'modern' }, async (client) => {
      const { names } = await walkTools(client);
      expect(names).toHaveLength(expected);
      // What is not offered is not there, for whoever knows its name as well.
      const hidden = all(100).filter((name) => !names.includes(name));
      for (const name of hidden.slice(0, 5)) expect(await callText(client, name)).toContain('-32602');
      for (const name of names.slice(0, 5)) expect(await callText(client, name)).toContain('"result"');
    });
  });

  it('stay unchanged with the prefix ""', async () => {
    const place = openServers({ up: { ...pagingServer({ tools: 3 }), prefix: '' } });
    await withStdioClient(place, { protocol: 'legacy' }, async (client) => {
      expect((await walkTools(client)).names).toEqual(['grow', 'pages', 't00000', 't00001', 't00002']);
      expect(await callText(client, 't00001')).toContain('t00001 called');
    });
  });
});

/** A good cursor with one character changed, taken away or added. */
function mutated(cursor: string): string {
  const at = random.below(cursor.length);
  const put = String.fromCharCode(33 + random.below(90));
  const from = random.chance(0.5) ? at + 1 : at;
  return `${cursor.slice(0, at)}${random.chance(0.7) ? put : ''}${cursor.slice(from)}`;
}
