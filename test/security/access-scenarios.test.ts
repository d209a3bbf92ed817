import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  attenuateToken,
  makeToken,
  type MadeToken,
  openAccessPlace,
  runJson,
  runOk,
} from '../support/access-place.js';
import { count } from '../support/counts.js';
import { type HttpGate, openHttpGate, type Place, waitFor } from '../support/gate.js';
import { pagingServer } from '../support/listing.js';
import { openRawHttp, openRawStdio, type RawClient, tokenOf } from '../support/raw-client.js';
import { runGate } from '../support/run-program.js';
import { openSdkClient, type SdkClient, type SdkKind, sdkKinds } from '../support/sdk-clients.js';
import type { Protocol, Wire } from '../support/upstreams.js';

const minimal = ['Glob', 'Grep', 'Read'];
const coding = ['Edit', 'Glob', 'Grep', 'Read', 'Write'];
const builtin = ['Bash', 'BashOutput', 'Edit', 'Glob', 'Grep', 'KillBash', 'Read', 'Write'];
const far = Array.from({ length: 22 }, (_, at) => `t${String(at).padStart(2, '0')}`);
const farTools = far.map((name) => `far_${name}`);
/** Thirty tools, as the design counts them. */
const everything = [...builtin, ...farTools];

const kinds = sdkKinds.flatMap((kind) =>
  (['stdio', 'http'] as const).map((wire) => ({ ...kind, wire, kind })),
);
/** One of each era over each wire, where all eight would say no more. */
const fewKinds = kinds.filter(({ sdk, mode }) => sdk === 'v1' || mode === 'pinned');
const fewSdks = sdkKinds.filter(({ sdk, mode }) => sdk === 'v1' || mode === 'pinned');

let place: Place;
let gate: HttpGate;
const tokens = new Map<string, Promise<MadeToken>>();

beforeAll(async () => {
  place = openAccessPlace({ builtins: builtin, servers: { far: pagingServer({ names: far }) } });
  gate = await openHttpGate(place);
  await waitFor(
    async () => (await apiTools()).length === everything.length,
    20_000,
    () => `the servers did not list: ${gate.said()}`,
  );
});
afterAll(async () => {
  await gate.close();
  place.close();
});

const operatorApi = async <T>(path: string): Promise<T> =>
  (await (
    await fetch(`${gate.base}${path}`, { headers: { authorization: `Bearer ${tokenOf(place)}` } })
  ).json()) as T;
const apiTools = async () => (await operatorApi<{ readonly tools: readonly unknown[] }>('/api/tools')).tools;

interface Way {
  readonly wire: Wire;
  readonly protocol: Protocol;
  readonly kind: SdkKind;
}

/** The principal over this wire: by `--as` over stdio, by a token of its own over HTTP. */
async function connect({ wire, kind }: Way, principal: string): Promise<SdkClient> {
  const token = tokens.get(principal) ?? makeToken(place, '--as', principal);
  tokens.set(principal, token);
  const client = await openSdkClient({
    kind,
    wire,
    place,
    gate,
    args: ['--as', principal],
    token: (await token).secret,
  });
  onTestFinished(() => client.close());
  return client;
}

async function names(client: SdkClient): Promise<readonly string[]> {
  return (await client.tools()).map(({ name }) => name).sort();
}

/** What a client is told when it calls something; its text, or the words of the error. */
async function say(
  client: SdkClient,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  try {
    const { content } = await client.call(name, args);
    return content.map(({ text = '' }) => text).join('\n');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const unknown = (name: string) => expect.stringContaining(`Unknown tool: ${name}`) as string;
const assign = (principal: string, profile: string) => runOk(place, 'profile', 'assign', principal, profile);
let agents = 0;
/** Somebody who was never there before. */
const newAgent = (): string => `agent:a${String((agents += 1))}`;

describe.each(kinds)('the five scenarios of the design, with SDK $sdk ($mode) over $wire', (way) => {
  it('1. an agent with the coding profile lists the coding tools and no others', async () => {
    const agent = newAgent();
    await assign(agent, 'coding');
    const client = await connect(way, agent);
    expect(await names(client)).toEqual(coding);
    expect(await say(client, 'Glob', { pattern: '*.nothing' })).not.toContain('Unknown tool');
  });

  it('2. switching from coding to minimal shrinks the list and the callable tools at once', async () => {
    const agent = newAgent();
    await assign(agent, 'coding');
    const client = await connect(way, agent);
    expect(await names(client)).toEqual(coding);
    const written = { file_path: 'by-the-agent.txt', content: 'x' };
    expect(await say(client, 'Write', written)).not.toContain('Unknown tool');
    await assign(agent, 'minimal');
    expect(await say(client, 'Write', written)).toEqual(unknown('Write'));
    expect(await names(client)).toEqual(minimal);
    // And back: nothing of the former profile is left behind, and nothing is lost.
    await assign(agent, 'coding');
    expect(await names(client)).toEqual(coding);
  });

  it('3. a call to a tool outside the profile fails like a call to an absent tool', async () => {
    const agent = newAgent();
    await assign(agent, 'coding');
    const client = await connect(way, agent);
    const hidden = await say(client, 'Bash', { command: 'true' });
    expect(hidden).toEqual(unknown('Bash'));
    expect(hidden.replaceAll('Bash', 'Bush')).toBe(await say(client, 'Bush', { command: 'true' }));
    expect(hidden).not.toMatch(/denied|permission|forbidden|profile|grant/i);
  });

  it('4. an admin sees everything with any profile, and is recorded', async () => {
    const admin = newAgent().replace('agent:', 'user:');
    await assign(admin, 'minimal');
    await runOk(place, 'grant', admin, '--admin');
    const client = await connect(way, admin);
    expect(await names(client)).toEqual([...everything].sort());
    expect(await say(client, 'far_t07')).toContain('t07 called');
    await waitFor(
      async () => (await recordsOf(admin)).some(({ target }) => target === 'far_t07'),
      10_000,
      () => 'the call was not recorded',
    );
    const [record] = (await recordsOf(admin)).filter(({ target }) => target === 'far_t07');
    expect(record).toMatchObject({ decision: 'allow', outcome: 'ok', action: 'call', principal: admin });
    // Control: without that right the profile is what counts.
    await runOk(place, 'revoke', admin, '--admin');
    expect(await names(client)).toEqual(minimal);
  });
});

describe('the fifth scenario of the design: filtering thirty tools', () => {
  it.each(fewKinds)('takes the time printed here: SDK $sdk over $wire', async (way) => {
    const agent = newAgent();
    await assign(agent, 'coding');
    for (const what of ['far_t0*', 'far_t10']) await runOk(place, 'grant', agent, what);
    const client = await connect(way, agent);
    const first = await timed(() => client.tools());
    const raw = await openRaw(way, agent);
    const times = count(500);
    const spent = {
      sdk: await spread(times, () => client.tools()),
      wire: await spread(times, () => raw.request('tools/list', '')),
      unfiltered: await spread(times, () => apiTools()),
    };
    console.log(
      `30 tools, 16 of them visible, ${way.protocol} over ${way.wire}, n=${String(times)}, p50/p99 ms: SDK ${way.sdk} ` +
        `${spent.sdk} (first ${first.ms.toFixed(2)}), bare ${spent.wire}; all 30 to the operator over HTTP ${spent.unfiltered}`,
    );
    expect(first.value).toHaveLength(coding.length + 11);
  });

  async function openRaw({ wire, protocol }: Way, agent: string): Promise<RawClient> {
    const { secret } = await makeToken(place, '--as', agent);
    const client =
      wire === 'stdio'
        ? await openRawStdio(place, { protocol }, '--as', agent)
        : await openRawHttp(gate, secret, { protocol });
    onTestFinished(() => client.close());
    await client.request('tools/list', '');
    return client;
  }

  async function timed<T>(run: () => Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
    const start = performance.now();
    const value = await run();
    return { ms: performance.now() - start, value };
  }

  async function spread(times: number, run: () => Promise<unknown>): Promise<string> {
    const all: number[] = [];
    for (let round = 0; round < times; round += 1) all.push((await timed(run)).ms);
    all.sort((a, b) => a - b);
    const at = (share: number): string => (all[Math.floor(all.length * share)] ?? Number.NaN).toFixed(2);
    return `${at(0.5)}/${at(0.99)}`;
  }
});

describe.each(fewKinds)('the five integrations of the design, with SDK $sdk over $wire', (way) => {
  it('1. two agents with different profiles see different tools', async () => {
    const [one, two] = [newAgent(), newAgent()];
    await Promise.all([assign(one, 'coding'), assign(two, 'minimal')]);
    const [first, second] = await Promise.all([connect(way, one), connect(way, two)]);
    expect(await names(first)).toEqual(coding);
    expect(await names(second)).toEqual(minimal);
    expect(await say(second, 'Edit')).toEqual(unknown('Edit'));
  });

  it('2. a tool whose grant is revoked disappears from the list and cannot be called', async () => {
    const agent = newAgent();
    await runOk(place, 'grant', agent, 'far_t01');
    const client = await connect(way, agent);
    expect(await names(client)).toEqual([...minimal, 'far_t01']);
    expect(await say(client, 'far_t01')).toBe('t01 called');
    await runOk(place, 'revoke', agent, 'far_t01');
    expect(await say(client, 'far_t01')).toEqual(unknown('far_t01'));
    expect(await names(client)).toEqual(minimal);
  });

  it('3. a write invalidates caches: list, write, list, each time', async () => {
    const agent = newAgent();
    const client = await connect(way, agent);
    for (const name of farTools.slice(0, 3)) {
      expect(await names(client)).toEqual(minimal);
      await runOk(place, 'grant', agent, name);
      expect(await names(client)).toEqual([...minimal, name]);
      await runOk(place, 'revoke', agent, name);
    }
    expect(await names(client)).toEqual(minimal);
  });

  it('4. concurrent agents never see each other’s tools', async () => {
    const some = await Promise.all(
      farTools.slice(0, 4).map(async (tool) => {
        const agent = newAgent();
        await runOk(place, 'grant', agent, tool);
        return { agent, tool, client: await connect(way, agent) };
      }),
    );
    const rounds = count(200);
    let lists = 0;
    await Promise.all(
      some.map(async ({ tool, client }) => {
        for (let round = 0; round < rounds; round += 1) {
          expect(await names(client)).toEqual([...minimal, tool]);
          lists += 1;
          const other = some.find((each) => each.tool !== tool)?.tool ?? '';
          expect(await say(client, other)).toEqual(unknown(other));
        }
      }),
    );
    console.log(
      `together: ${String(some.length)} agents, ${String(lists)} lists, SDK ${way.sdk} over ${way.wire}`,
    );
  });

  it('5. a principal sees what its profile inherits, at any depth', async () => {
    const deep = openAccessPlace(
      { builtins: ['*'], servers: { far: pagingServer({ names: far }) } },
      {
        profiles: {
          a: { tools: ['Read', 'far_t00'] },
          b: { extends: 'a', tools: ['far_t1*'] },
          c: { extends: 'b', tools: ['Write', '!far_t13'] },
          d: { extends: ['c', 'search'], tools: ['far_t02'] },
        },
      },
    );
    onTestFinished(() => deep.close());
    const deepGate = await openHttpGate(deep);
    onTestFinished(() => deepGate.close());
    const tens = far.filter((name) => name.startsWith('t1') && name !== 't13').map((name) => `far_${name}`);
    const discovery = ['get_tool_details', 'list_servers', 'load_tools', 'search_tools'].map(
      (name) => `discovery_${name}`,
    );
    const own = ['Glob', 'Grep', 'Read', 'Write', ...discovery];
    const expected = [...own, 'far_t00', 'far_t02', ...tens].sort();
    await runOk(deep, 'profile', 'assign', 'agent:deep', 'd');
    const { secret } = await makeToken(deep, '--as', 'agent:deep');
    const client = await openSdkClient({
      ...way,
      place: deep,
      gate: deepGate,
      args: ['--as', 'agent:deep'],
      token: secret,
    });
    onTestFinished(() => client.close());
    expect(await names(client)).toEqual(expected);
    // A block that was inherited beats a grant of one's own.
    await runOk(deep, 'grant', 'agent:deep', 'far_t13');
    expect(await say(client, 'far_t13')).toEqual(unknown('far_t13'));
  });
});

describe.each(fewKinds)('a connected client, with SDK $sdk over $wire', (way) => {
  it('is notified that its list changed when another process grants or revokes, and no other client is', async () => {
    const [agent, other] = [newAgent(), newAgent()];
    const [client, bystander] = await Promise.all([connect(way, agent), connect(way, other)]);
    for (const each of [client, bystander]) {
      await each.tools();
      if (way.protocol === 'modern') await each.watch('nothing://here');
    }
    const changes = ({ notices }: SdkClient) =>
      notices.filter(({ method }) => method === 'notifications/tools/list_changed').length;
    const heard = (times: number) =>
      waitFor(
        () => changes(client) >= times,
        10_000,
        () => `heard ${JSON.stringify(client.notices)}`,
      );
    await runOk(place, 'grant', agent, 'far_t05');
    await heard(1);
    expect(await names(client)).toEqual([...minimal, 'far_t05']);
    await runOk(place, 'revoke', agent, 'far_t05');
    await heard(2);
    expect(await names(client)).toEqual(minimal);
    // A write that gives nothing new is no change.
    await runOk(place, 'grant', agent, 'Read');
    await assign(agent, 'coding');
    await heard(3);
    expect(await names(client)).toEqual(coding);
    expect(changes(client)).toBe(3);
    expect(await names(bystander)).toEqual(minimal);
    expect(changes(bystander)).toBe(0);
  });

  it('loses an expired grant and is notified, without any write', async () => {
    const agent = newAgent();
    const until = new Date(Date.now() + 10_000).toISOString();
    await runOk(place, 'grant', agent, 'far_t06', '--until', until);
    const client = await connect(way, agent);
    expect(await names(client)).toEqual([...minimal, 'far_t06']);
    if (way.protocol === 'modern') await client.watch('nothing://here');
    await waitFor(
      () => client.notices.some(({ method }) => method === 'notifications/tools/list_changed'),
      20_000,
      () => 'it heard nothing',
    );
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(until));
    expect(await say(client, 'far_t06')).toEqual(unknown('far_t06'));
    expect(await names(client)).toEqual(minimal);
  });
});

describe.each(fewSdks)('a sub-agent, with SDK $sdk ($mode)', (kind) => {
  const over = async (secret: string): Promise<SdkClient> => {
    const client = await openSdkClient({ kind, wire: 'http', place, gate, token: secret });
    onTestFinished(() => client.close());
    return client;
  };

  it('has what it was given of the tools of its parent, and loses what the parent loses', async () => {
    const parent = newAgent();
    await assign(parent, 'coding');
    const parentToken = await makeToken(place, '--as', parent);
    const helper = newAgent();
    const child = await attenuateToken(
      place,
      '--from',
      parentToken.id,
      '--as',
      helper,
      '--tools',
      'Read,Write,Bash',
    );
    const grandchild = await attenuateToken(place, '--token', child.secret, '--profile', 'execution');
    const clients = { child: await over(child.secret), grandchild: await over(grandchild.secret) };
    for (const client of Object.values(clients)) {
      // Bash was asked for, but the parent does not have it.
      expect(await names(client)).toEqual(['Read', 'Write']);
      expect(await say(client, 'Bash', { command: 'true' })).toEqual(unknown('Bash'));
      expect(await say(client, 'Grep', { pattern: 'x' })).toEqual(unknown('Grep'));
    }
    // What is granted to the child alone does not go beyond the parent.
    await runOk(place, 'grant', helper, 'Bash');
    expect(await names(clients.child)).toEqual(['Read', 'Write']);
    // The parent shrinks, and those below it with it; then it grows.
    await assign(parent, 'minimal');
    for (const client of Object.values(clients)) {
      expect(await say(client, 'Write', { file_path: 'x', content: '' })).toEqual(unknown('Write'));
      expect(await names(client)).toEqual(['Read']);
    }
    await assign(parent, 'execution');
    for (const client of Object.values(clients))
      expect(await names(client)).toEqual(['Bash', 'Read', 'Write']);
    // What is taken from the child is taken from those below it, not from the parent.
    await runOk(place, 'grant', helper, 'Write', '--block');
    expect(await names(clients.child)).toEqual(['Bash', 'Read']);
    expect(await names(clients.grandchild)).toEqual(['Bash', 'Read']);
    expect(await names(await over(parentToken.secret))).toContain('Write');
  });

  it('loses access with its parent, and expires no later', async () => {
    const parent = await makeToken(place, '--as', newAgent(), '--expires', '2d');
    const child = await attenuateToken(place, '--from', parent.id, '--expires', '30d');
    const [of, from] = [await shown(child.id), await shown(parent.id)];
    expect(of['expiresAt']).toBe(from['expiresAt']);
    const client = await over(child.secret);
    expect(await names(client)).toEqual(minimal);
    await runOk(place, 'token', 'revoke', parent.id);
    await expect(client.tools()).rejects.toThrow();
    await expect(over(child.secret)).rejects.toThrow();
    expect(await shown(child.id)).toMatchObject({ state: 'parent_void' });
  });

  it('keeps its setting for inheriting active tools', async () => {
    const parent = await makeToken(place, '--as', newAgent());
    const [plain, bare] = [
      await attenuateToken(place, '--from', parent.id),
      await attenuateToken(place, '--from', parent.id, '--inherit-active-mcp', 'false'),
    ];
    expect(await shown(plain.id)).toMatchObject({ inheritsActive: true, parent: parent.id });
    expect(await shown(bare.id)).toMatchObject({ inheritsActive: false, parent: parent.id });
    expect(await names(await over(bare.secret))).toEqual(minimal);
  });

  const shown = async (id: string): Promise<Readonly<Record<string, unknown>>> => {
    const answer = await runJson(place, 'token', 'show', id);
    return (answer['token'] ?? answer) as Readonly<Record<string, unknown>>;
  };
});

describe.each(fewKinds)('roles, with SDK $sdk over $wire', (way) => {
  it('are assigned to principals, and can have profiles and grants', async () => {
    const [agent, role] = [newAgent(), `role:r${randomBytes(4).toString('hex')}`];
    await assign(role, 'coding');
    await runOk(place, 'grant', role, 'far_t09');
    const client = await connect(way, agent);
    expect(await names(client)).toEqual(minimal);
    await runOk(place, 'grant', agent, role);
    expect(await names(client)).toEqual([...coding, 'far_t09']);
    await runOk(place, 'revoke', role, 'far_t09');
    expect(await names(client)).toEqual(coding);
    await runOk(place, 'revoke', agent, role);
    expect(await names(client)).toEqual(minimal);
  });
});

describe('the limits a gateway is started with', () => {
  const open = async (kind: SdkKind, args: readonly string[]): Promise<SdkClient> => {
    const client = await openSdkClient({ kind, wire: 'stdio', place, gate, args });
    onTestFinished(() => client.close());
    return client;
  };

  it.each(fewSdks)('are a profile, a role, patterns, or all of them: SDK $sdk ($mode)', async (kind) => {
    const agent = newAgent();
    await assign(agent, 'coding');
    for (const [args, expected] of [
      [['--profile', 'coding'], coding],
      [['--role', 'tl'], coding],
      [['--role', 'pm'], minimal],
      [['--as', agent], coding],
      [['--as', agent, '--profile', 'minimal'], minimal],
      [['--as', agent, '--role', 'dev'], coding],
      [['--as', agent, '--tools', 'Read,Bash,far_*'], ['Read']],
      [['--as', agent, '--profile', 'minimal', '--tools', 'R*,W*'], ['Read']],
      [['--tools', 'far_t0?,!far_t00'], farTools.slice(1, 10)],
    ] as const) {
      const client = await open(kind, args);
      expect({ args, names: await names(client) }).toEqual({ args, names: expected });
      expect(await say(client, 'far_t00')).toEqual(unknown('far_t00'));
      await client.close();
    }
  });

  it('apply to every caller over HTTP, including the operator, and grant nothing', async () => {
    const [bound, agent] = [await openHttpGate(place, '--profile', 'coding'), newAgent()];
    onTestFinished(() => bound.close());
    await runOk(place, 'grant', agent, 'far_t03');
    await runOk(place, 'grant', agent, 'Edit');
    await runOk(place, 'grant', agent, 'Grep', '--block');
    const { secret } = await makeToken(place, '--as', agent);
    for (const [token, expected] of [
      [tokenOf(place), coding],
      // Without a profile of its own, a principal has that of the gate; what is blocked stays blocked.
      [secret, coding.filter((name) => name !== 'Grep')],
    ] as const) {
      for (const kind of sdkKinds) {
        const client = await openSdkClient({ kind, wire: 'http', place, gate: bound, token });
        onTestFinished(() => client.close());
        expect(await names(client)).toEqual(expected);
        expect(await say(client, 'Bash', { command: 'true' })).toEqual(unknown('Bash'));
        expect(await say(client, 'far_t03')).toEqual(unknown('far_t03'));
      }
    }
    // Whoever has a smaller profile keeps it.
    await assign(agent, 'minimal');
    const client = await openRawHttp(bound, secret, { protocol: 'modern' });
    onTestFinished(() => client.close());
    const { result = '' } = await client.request('tools/list', '');
    const { tools } = JSON.parse(result) as { readonly tools: readonly { readonly name: string }[] };
    expect(tools.map(({ name }) => name).sort()).toEqual(['Edit', 'Glob', 'Read']);
  });
});

describe('two zones on one database', () => {
  let east: Place;
  let west: Place;
  let eastGate: HttpGate;
  let westGate: HttpGate;
  beforeAll(async () => {
    const config = (zone: string, file?: string) => ({
      builtins: builtin,
      access: { zone, default_profile: 'none' },
      ...(file !== undefined && { store: { file } }),
    });
    east = openAccessPlace(config('east'));
    west = openAccessPlace(config('west', join(east.env['TIDEGATE_HOME'] ?? '', 'state.db')));
    await runOk(east, 'profile', 'assign', 'agent:ann', 'coding');
    await runOk(east, 'grant', 'user:boss', '--admin');
    [eastGate, westGate] = [await openHttpGate(east), await openHttpGate(west)];
  });
  afterAll(async () => {
    await Promise.all([eastGate.close(), westGate.close()]);
    west.close();
    east.close();
  });

  it.each(fewSdks)('are invisible to each other: SDK $sdk ($mode)', async (kind) => {
    const connectTo = async (at: Place, wire: Wire, who: string): Promise<SdkClient> => {
      const { secret } = await makeToken(at, '--as', who);
      const served = at === east ? eastGate : westGate;
      const client = await openSdkClient({
        kind,
        wire,
        place: at,
        gate: served,
        args: ['--as', who],
        token: secret,
      });
      onTestFinished(() => client.close());
      return client;
    };
    for (const wire of ['stdio', 'http'] as const) {
      expect(await names(await connectTo(east, wire, 'agent:ann'))).toEqual(coding);
      expect(await names(await connectTo(east, wire, 'user:boss'))).toEqual(builtin);
      for (const who of ['agent:ann', 'user:boss']) {
        const client = await connectTo(west, wire, who);
        expect(await names(client)).toEqual([]);
        expect(await say(client, 'Read', { file_path: 'x' })).toEqual(unknown('Read'));
      }
    }
  });

  it('share neither tokens, records nor later grants', async () => {
    const { secret, id } = await makeToken(east, '--as', 'agent:ann');
    const status = async (at: HttpGate) =>
      (await fetch(`${at.base}/api/tools`, { headers: { authorization: `Bearer ${secret}` } })).status;
    expect([await status(eastGate), await status(westGate)]).toEqual([200, 401]);
    expect((await runGate(west, ['token', 'revoke', id])).status).toBe(3);
    expect((await runGate(west, ['token', 'attenuate', '--from', id])).status).toBe(3);
    expect(await status(eastGate)).toBe(200);
    await runOk(west, 'grant', 'agent:ann', 'Bash');
    expect((await runGate(east, ['check', 'agent:ann', 'Bash'])).status).toBe(1);
    expect((await runGate(west, ['check', 'agent:ann', 'Bash'])).status).toBe(0);
    const zones = async (at: Place) => {
      const { records } = await runJson<{ readonly records: readonly Recorded[] }>(
        at,
        'audit',
        '--limit',
        '1000',
      );
      return new Set(records.map(({ zone }) => zone));
    };
    expect(await zones(east)).toEqual(new Set(['east']));
    expect(await zones(west)).toEqual(new Set(['west']));
  });
});

interface Recorded {
  readonly zone: string;
  readonly principal: string;
  readonly action: string;
  readonly decision: string;
  readonly reason?: string;
  readonly target?: string;
  readonly outcome?: string;
  readonly requestId?: string;
  readonly traceId?: string;
  readonly chain?: readonly string[];
  readonly tokenId?: string;
  readonly revision?: number;
}

async function recordsOf(principal: string, more = ''): Promise<readonly Recorded[]> {
  const query = `principal=${encodeURIComponent(principal)}&limit=1000${more}`;
  return (await operatorApi<{ readonly records: readonly Recorded[] }>(`/api/audit?${query}`)).records;
}

describe('the audit log', () => {
  it.each(fewKinds)(
    'contains every refusal with its reason, request and trace: SDK $sdk over $wire',
    async (way) => {
      const agent = newAgent();
      await assign(agent, 'execution');
      await runOk(place, 'grant', agent, 'Bash', '--block');
      await runOk(place, 'grant', agent, 'far_t11', '--see');
      const soon = new Date(Date.now() + 3000).toISOString();
      await runOk(place, 'grant', agent, 'far_t12', '--until', soon);
      const client = await connect(way, agent);
      await waitFor(
        () => Date.now() > Date.parse(soon),
        10_000,
        () => 'time stands still',
      );
      expect(await names(client)).toContain('far_t11');
      const attempts = [
        ['far_t10', 'no_grant'],
        ['Bash', 'blocked'],
        ['far_t11', 'no_call_grant'],
        ['far_t12', 'grant_expired'],
        ['nothing', 'unknown_tool'],
      ] as const;
      const traces = new Map<string, string>();
      for (const [name, reason] of attempts) {
        const trace = randomBytes(16).toString('hex');
        traces.set(name, trace);
        const meta = { traceparent: `00-${trace}-${randomBytes(8).toString('hex')}-01` };
        // [16.26] Only a tool that the agent can see is called by its name; everything else is unknown.
        if (reason === 'no_call_grant')
          expect(JSON.stringify(await client.call(name, {}, { meta }))).toContain('tool.not_permitted');
        else await expect(client.call(name, {}, { meta })).rejects.toThrow(`Unknown tool: ${name}`);
      }
      await waitFor(
        async () => (await recordsOf(agent, '&denied=true')).length >= attempts.length,
        10_000,
        () => 'the refusals were not recorded',
      );
      const records = await recordsOf(agent, '&denied=true');
      expect(records).toHaveLength(attempts.length);
      for (const [name, reason] of attempts) {
        expect(records.find(({ target }) => target === name)).toMatchObject({
          principal: agent,
          action: 'call',
          decision: 'deny',
          reason,
          outcome: reason === 'no_call_grant' ? 'tool.not_permitted' : 'tool.not_found',
          traceId: traces.get(name),
          revision: expect.any(Number) as number,
        });
      }
      const requests = records.map(({ requestId = '' }) => requestId);
      expect(requests.every((id) => id !== '') && new Set(requests).size === requests.length).toBe(true);
    },
  );

  it('names the link of a chain, the limit of a token, and tools that a gateway does not offer', async () => {
    const [parent, helper] = [newAgent(), newAgent()];
    const top = await makeToken(place, '--as', parent, '--profile', 'minimal');
    const child = await attenuateToken(place, '--from', top.id, '--as', helper, '--tools', 'R*,W*');
    const refused = async (secret: string, name: string) => {
      const client = await openRawHttp(gate, secret, { protocol: 'modern' });
      const { text } = await client.request('tools/call', `"name":"${name}","arguments":{}`);
      await client.close();
      expect(text).toContain(`Unknown tool: ${name}`);
    };
    await refused(top.secret, 'Write');
    await refused(child.secret, 'Write');
    await refused(child.secret, 'Grep');
    const client = await openSdkClient({
      kind: sdkKinds[0],
      wire: 'stdio',
      place,
      gate,
      args: ['--as', parent, '--tools', 'Read'],
    });
    expect(await say(client, 'Grep', { pattern: 'x' })).toEqual(unknown('Grep'));
    await client.close();
    const denied = async (who: string) =>
      (await recordsOf(who, '&denied=true')).map(({ target, reason, tokenId, chain }) => ({
        target,
        reason,
        tokenId,
        chain,
      }));
    await waitFor(
      async () => (await denied(parent)).length >= 2 && (await denied(helper)).length >= 2,
      10_000,
      () => 'the refusals were not recorded',
    );
    const chain = [parent, helper];
    expect(await denied(parent)).toEqual(
      expect.arrayContaining([
        { target: 'Write', reason: 'profile_ceiling', tokenId: top.id, chain: undefined },
        { target: 'Grep', reason: 'tools_ceiling', tokenId: undefined, chain: undefined },
      ]),
    );
    expect(await denied(helper)).toEqual(
      expect.arrayContaining([
        { target: 'Write', reason: 'parent_lacks', tokenId: child.id, chain },
        { target: 'Grep', reason: 'tools_ceiling', tokenId: child.id, chain },
      ]),
    );
    // And no secret of anybody.
    const text = JSON.stringify(await operatorApi('/api/audit?limit=1000'));
    expect(text).not.toContain('tgt_');
  });
});
