// The commands and the admin API use the same admin service, so they return the same JSON.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpGate, openHttpGate, openPlace, type Place, waitFor } from '../support/gate.js';
import { tokenOf } from '../support/raw-client.js';
import { type Ran, runGate } from '../support/run-program.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

type Json = Readonly<Record<string, unknown>>;

interface Answer {
  readonly status: number;
  readonly value: Json;
}

let place: Place;
let gate: HttpGate;
let upstream: ScriptedUpstream;
let operator: string;

const profiles = `default_profile: minimal
profiles:
  careful:
    extends: minimal
    tools: ["gh_*", "!gh_delete", gone]
`;

beforeAll(async () => {
  const definitions = ['issue', 'delete'].map((name) =>
    JSON.stringify({ name, inputSchema: { type: 'object' } }),
  );
  upstream = await openScripted('stdio', 'modern', {
    lists: { 'tools/list': definitions, 'prompts/list': ['{"name":"review"}'] },
    answers: { 'tools/call': { issue: { result: '{"content":[]}' } } },
  });
  place = openPlace({ builtins: ['*'], servers: { gh: { ...upstream.entry, prefix: 'gh_' } } });
  mkdirSync(join(place.directory, 'workspace', '.tidegate'));
  writeFileSync(join(place.directory, 'workspace', '.tidegate', 'profiles.yaml'), profiles);
  const { status, stderr } = place.run('trust', '--yes');
  if (status !== 0) throw new Error(stderr);
  gate = await openHttpGate(place);
  operator = tokenOf(place);
  await waitFor(
    async () => ((await api('GET', '/api/tools')).value['tools'] as readonly unknown[]).length > 8,
    20_000,
    () => 'the server never listed',
  );
});
afterAll(async () => {
  await gate.close();
  place.close();
  await upstream.close();
});

async function api(method: string, path: string, body?: unknown, token = operator): Promise<Answer> {
  const response = await fetch(`${gate.base}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, value: (await response.json()) as Json };
}

async function command(...words: readonly string[]): Promise<Ran & { readonly value: Json }> {
  const ran = await runGate(place, [...words, '--json']);
  return { ...ran, value: JSON.parse(ran.stdout) as Json };
}

function file(name: string, content: unknown): string {
  const path = join(place.directory, 'workspace', name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const query = (path: string, members: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams(members).toString()}`;

/** Fields that differ between two principals with the same rights. */
function alike(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/agent([:/])(?:one|two)/g, 'agent$1x')
    .replaceAll(/"revision":\d+/g, '"revision":0')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then');
  return JSON.parse(text);
}

describe('a change', () => {
  const changes: readonly {
    readonly name: string;
    words(who: string): readonly string[];
    order(who: string): readonly [method: string, path: string, body: unknown];
  }[] = [
    {
      name: 'assigns a profile',
      words: (who) => ['profile', 'assign', who, 'careful'],
      order: (who) => ['PUT', `/api/principals/${encodeURIComponent(who)}/profile`, { profile: 'careful' }],
    },
    {
      name: 'grants a tool temporarily',
      words: (who) => ['grant', who, 'Bash', '--until', '8h'],
      order: (who) => ['POST', '/api/grants', { principal: who, what: 'Bash', until: '8h' }],
    },
    {
      name: 'grants visibility of a set',
      words: (who) => ['grant', who, 'server:gh', '--see'],
      order: (who) => ['POST', '/api/grants', { principal: who, what: 'server:gh', see: true }],
    },
    {
      name: 'repeats a grant',
      words: (who) => ['grant', who, 'server:gh', '--see'],
      order: (who) => ['POST', '/api/grants', { principal: who, what: 'server:gh', see: true }],
    },
    {
      name: 'blocks',
      words: (who) => ['grant', who, 'Grep', '--block'],
      order: (who) => ['POST', '/api/grants', { principal: who, what: 'Grep', block: true }],
    },
    {
      name: 'grants a role',
      words: (who) => ['grant', who, 'role:devs'],
      order: (who) => ['POST', '/api/grants', { principal: who, what: 'role:devs' }],
    },
    {
      name: 'revokes a tool that a profile still grants',
      words: (who) => ['revoke', who, 'Read'],
      order: (who) => ['DELETE', '/api/grants', { principal: who, what: 'Read' }],
    },
    {
      name: 'revokes a set',
      words: (who) => ['revoke', who, 'server:gh'],
      order: (who) => ['DELETE', '/api/grants', { principal: who, what: 'server:gh' }],
    },
  ];

  it.each(changes)('has the same result over CLI and API: $name', async ({ words, order }) => {
    const typed = await command(...words('agent:one'));
    const sent = await api(...order('agent:two'));
    expect([typed.status, sent.status]).toEqual([0, 200]);
    expect(alike(typed.value)).toEqual(alike(sent.value));
    expect(typed.value).toHaveProperty('revision');
  });

  it('results in the same rights and audit records', async () => {
    const one = await command('profile', 'inspect', 'agent:one');
    const two = await api('GET', '/api/principals/agent%3Atwo');
    expect(alike(one.value)).toEqual(alike(two.value));
    expect(one.value).toMatchObject({
      profiles: ['careful'],
      roles: ['role:devs'],
      call: ['Bash', 'Glob', 'Read', 'gh_issue'],
    });
    const { value } = await api('GET', query('/api/audit', { action: 'grant.write', limit: '100' }));
    const records = value['records'] as readonly { readonly target: string; readonly principal: string }[];
    expect(records.filter(({ target }) => target === 'agent:one')).toHaveLength(5);
    expect(records.filter(({ target }) => target === 'agent:two')).toHaveLength(5);
  });
});

describe('a question', () => {
  it.each([
    [['profile', 'list'], '/api/profiles'],
    [['profile', 'show', 'careful'], '/api/profiles/careful'],
    [['profile', 'show', 'careful', '--resolved'], '/api/profiles/careful?resolved=true'],
    [['profile', 'inspect', 'agent:one'], '/api/principals/agent%3Aone'],
    [['profile', 'inspect', 'role:devs'], '/api/principals/role%3Adevs'],
    [['check', 'agent:one', 'Read'], '/api/check?principal=agent%3Aone&what=Read'],
    [
      ['check', 'agent:one', 'Edit', '--action', 'see'],
      '/api/check?principal=agent%3Aone&what=Edit&action=see',
    ],
    [['explain', 'agent:one', 'gh_issue'], '/api/explain?principal=agent%3Aone&what=gh_issue'],
    [['explain', 'agent:one', 'gh_delete'], '/api/explain?principal=agent%3Aone&what=gh_delete'],
    [
      ['explain', 'agent:one', 'prompt:gh_review'],
      '/api/explain?principal=agent%3Aone&what=prompt:gh_review',
    ],
    [['access', 'export'], '/api/access'],
    [['audit', '--limit', '5'], '/api/audit?limit=5'],
    [['audit', '--principal', 'agent:none'], '/api/audit?principal=agent%3Anone'],
  ])('has the same answer over CLI and API: %j', async (words, path) => {
    const typed = await command(...words);
    const sent = await api('GET', path);
    expect(sent.status).toBe(200);
    expect(typed.value).toEqual(sent.value);
  });

  it.each([
    [['profile', 'show', 'carefull'], 'GET', '/api/profiles/carefull', undefined, 404],
    [['profile', 'inspect', 'alice'], 'GET', '/api/principals/alice', undefined, 400],
    [['check', 'agent:one', 'gh_*'], 'GET', '/api/check?principal=agent%3Aone&what=gh_*', undefined, 400],
    [
      ['grant', 'agent:one', 'gh_isue'],
      'POST',
      '/api/grants',
      { principal: 'agent:one', what: 'gh_isue' },
      404,
    ],
    [['grant', 'agent:one'], 'POST', '/api/grants', { principal: 'agent:one' }, 400],
    [
      ['grant', 'role:devs', 'role:devs'],
      'POST',
      '/api/grants',
      { principal: 'role:devs', what: 'role:devs' },
      409,
    ],
    [['grant', 'everybody', 'Read'], 'POST', '/api/grants', { principal: 'everybody', what: 'Read' }, 400],
    [['audit', '--limit', '0'], 'GET', '/api/audit?limit=0', undefined, 400],
  ] as const)('is refused with the same message: %j', async (words, method, path, body, status) => {
    const typed = await command(...words);
    const sent = await api(method, path, body);
    expect(sent.status).toBe(status);
    expect(typed.status).not.toBe(0);
    const { problems: _, next, ...error } = typed.value['error'] as Json;
    const { next: nextThere, ...errorThere } = sent.value['error'] as Json;
    expect(error).toEqual(errorThere);
    expect(error['code']).toMatch(/^access\./);
    expect([next, nextThere]).toEqual([expect.any(String), expect.any(String)]);
    // On the command line, `next` is a command to paste, if there is one.
    if (!String(next).startsWith('tidegate ')) expect(next).toBe(nextThere);
  });

  it('from a principal without admin rights is refused; control: an admin gets an answer', async () => {
    const made = await api('POST', '/api/tokens', { principal: 'agent:eve' });
    const secret = String(made.value['secret']);
    for (const path of ['/api/profiles', '/api/access', '/api/audit', '/api/principals/agent%3Aeve']) {
      const refused = await api('GET', path, undefined, secret);
      expect([path, refused.status, refused.value]).toMatchObject([
        path,
        403,
        { error: { code: 'access.admin_required' } },
      ]);
    }
    const recorded = async (): Promise<readonly unknown[]> => {
      const page = await api('GET', query('/api/audit', { principal: 'agent:eve', denied: 'true' }));
      return (page.value['records'] as readonly Json[]).map(({ action, target, reason }) => [
        action,
        target,
        reason,
      ]);
    };
    await waitFor(
      async () => (await recorded()).length === 4,
      10_000,
      () => 'the refusals were not recorded',
    );
    expect(await recorded()).toContainEqual(['admin', 'exportAccess', 'admin_required']);
    await api('POST', '/api/grants', { principal: 'agent:eve', admin: true });
    expect((await api('GET', '/api/profiles', undefined, secret)).status).toBe(200);
    await api('DELETE', '/api/grants', { principal: 'agent:eve', admin: true });
    expect((await api('GET', '/api/profiles', undefined, secret)).status).toBe(403);
  });
});

describe('a document', () => {
  const tuple = { user: 'principal:agent/imported', relation: 'assignee', object: 'profile:careful' };

  it('is exported as YAML and imported again, over CLI and API', async () => {
    const yaml = await runGate(place, ['access', 'export']);
    expect(yaml.stdout).toMatch(/^tidegate: access\nformat: 1\nzone: local\n/);
    const exported = file('grants.yaml', yaml.stdout);
    const typed = await command('access', 'import', exported, '--replace', '--dry-run');
    const { value: document } = await api('GET', '/api/access');
    const sent = await api('POST', '/api/access?replace=true&dryRun=true', document);
    expect(typed.value).toEqual(sent.value);
    expect(typed.value).toMatchObject({ changed: false, isDryRun: true });
  });

  it('is imported completely or not at all', async () => {
    const before = (await api('GET', '/api/access')).value;
    const bad = { tidegate: 'access', format: 1, tuples: [tuple, { ...tuple, relation: 'owner' }] };
    const typed = await command('access', 'import', file('bad.json', bad));
    const sent = await api('POST', '/api/access', bad);
    expect([typed.status, sent.status]).toEqual([2, 400]);
    expect(typed.value['error']).toEqual(sent.value['error']);
    expect((sent.value['error'] as Json)['problems']).toHaveLength(1);
    expect((await api('GET', '/api/access')).value).toEqual(before);
    const good = { tidegate: 'access', format: 1, tuples: [tuple] };
    expect((await command('access', 'import', file('good.json', good))).value).toMatchObject({
      changed: true,
    });
    expect((await api('POST', '/api/access', good)).value).toMatchObject({ changed: false });
  });

  it('of assertions passes or fails with the matching exit status', async () => {
    const holds = {
      tests: [{ name: 'careful', as: 'agent:imported', can: ['gh_issue'], cannot: ['gh_delete'] }],
    };
    const fails = { tests: [{ name: 'careless', as: 'agent:imported', can: ['Bash'], exactly: ['Read'] }] };
    const hermetic = {
      tuples: [tuple],
      profiles: { careful: { tools: ['Read'] } },
      tests: [{ as: 'agent:imported', exactly: ['Read'] }],
    };
    const expected = [
      [holds, 0, 0],
      [fails, 1, 2],
      [hermetic, 0, 0],
    ] as const;
    for (const [document, status, failed] of expected) {
      const typed = await command('access', 'test', file('tests.json', document));
      const sent = await api('POST', '/api/access/test', document);
      expect(typed.value).toEqual(sent.value);
      expect([typed.status, typed.value['failed']]).toEqual([status, failed]);
    }
  });
});

describe('the answer of `check`', () => {
  it('is its exit status', async () => {
    expect((await command('check', 'agent:one', 'Bash')).status).toBe(0);
    expect((await command('check', 'agent:one', 'Write')).status).toBe(1);
    expect((await command('check', 'agent:one', 'nothing_here')).value).toMatchObject({
      decision: 'deny',
      reason: 'unknown_tool',
    });
  });
});

describe('a grant from the command line', () => {
  it('applies to the next list of an agent, until it is revoked', async () => {
    const made = await command('token', 'create', '--as', 'agent:live', '--expires', '1h');
    const secret = String(made.value['secret']);
    const names = async (): Promise<readonly string[]> => {
      const { value } = await api('GET', '/api/tools', undefined, secret);
      return (value['tools'] as readonly { readonly name: string }[]).map(({ name }) => name);
    };
    expect(await names()).not.toContain('gh_issue');
    await command('grant', 'agent:live', 'gh_issue');
    expect(await names()).toContain('gh_issue');
    expect((await api('POST', '/api/tools/gh_issue/call', {}, secret)).status).toBe(200);
    await command('revoke', 'agent:live', 'gh_issue');
    expect((await api('POST', '/api/tools/gh_issue/call', {}, secret)).status).toBe(404);
    expect(await names()).not.toContain('gh_issue');
    await waitFor(
      async () => {
        const { value } = await api('GET', query('/api/audit', { principal: 'agent:live', denied: 'true' }));
        return (value['records'] as readonly Json[]).some(
          ({ target, reason, decision }) =>
            target === 'gh_issue' && reason === 'no_grant' && decision === 'deny',
        );
      },
      10_000,
      () => 'the refusal was never recorded',
    );
  });
});

describe('an explanation names the reason', () => {
  const at = (user: string, more: Json = {}): Json => ({
    user: `principal:agent/${user}`,
    relation: 'caller',
    object: 'tool:builtin/Bash',
    ...more,
  });
  const condition = (context?: Json): Json => ({
    condition: { name: 'not_expired', ...(context && { context }) },
  });

  async function explained(principal: string, members: Readonly<Record<string, string>> = {}): Promise<Json> {
    const path = query('/api/explain', { principal, what: 'Bash', ...members });
    return (await api('GET', path)).value;
  }

  async function token(options: Json): Promise<string> {
    const { value } = await api('POST', '/api/tokens', options);
    return String((value['token'] as Json)['id']);
  }

  it('for every possible reason', async () => {
    const nested = Array.from({ length: 30 }, (_, level) => ({
      user: `role:r${String(level)}#member`,
      relation: 'member',
      object: `role:r${String(level + 1)}`,
    }));
    const tuples = [
      at('granted'),
      at('ceiling'),
      at('seer', { relation: 'seer' }),
      at('blocked'),
      at('blocked', { relation: 'blocked' }),
      at('over', condition({ until: '2020-01-01T00:00:00Z' })),
      at('without', condition()),
      { user: 'principal:agent/boss', relation: 'admin', object: 'zone:local' },
      ...nested,
      { user: 'role:r30#member', relation: 'caller', object: 'tool:builtin/KillBash' },
      { user: 'principal:agent/deep', relation: 'member', object: 'role:r0' },
    ];
    const { value } = await api('POST', '/api/access', { tidegate: 'access', format: 1, tuples });
    expect(value).toMatchObject({ changed: true });
    const parent = await token({ principal: 'agent:granted' });
    const child = await token({ parent, principal: 'agent:child' });
    const poor = await token({ principal: 'agent:poor' });
    const rich = await token({ parent: poor, principal: 'agent:child' });
    const bounded = await token({ principal: 'agent:ceiling', profile: 'minimal' });
    const narrow = await token({ principal: 'agent:ceiling', tools: ['Read'] });
    const gone = await token({ principal: 'agent:granted' });
    await api('DELETE', `/api/tokens/${gone}`);

    const expected: readonly (readonly [string, Readonly<Record<string, string>>, string, string])[] = [
      ['agent:granted', {}, 'allow', 'granted'],
      ['agent:boss', {}, 'allow', 'admin'],
      ['agent:child', { token: child }, 'allow', 'inherited'],
      ['agent:nobody', {}, 'deny', 'no_grant'],
      ['agent:nobody', { what: 'Bsh' }, 'deny', 'unknown_tool'],
      ['agent:seer', {}, 'deny', 'no_call_grant'],
      ['agent:seer', { action: 'see' }, 'allow', 'granted'],
      ['agent:blocked', {}, 'deny', 'blocked'],
      ['agent:over', {}, 'deny', 'grant_expired'],
      ['agent:without', {}, 'deny', 'condition_input_missing'],
      ['agent:ceiling', { token: bounded }, 'deny', 'profile_ceiling'],
      ['agent:ceiling', { profile: 'gone' }, 'deny', 'profile_unknown'],
      ['agent:ceiling', { token: narrow }, 'deny', 'tools_ceiling'],
      ['agent:child', { token: rich }, 'deny', 'parent_lacks'],
      ['agent:granted', { token: gone }, 'deny', 'credential_void'],
      ['agent:deep', { what: 'KillBash' }, 'deny', 'too_deep'],
    ];
    for (const [principal, members, decision, reason] of expected) {
      const told = await explained(principal, members);
      expect([principal, members, told['decision'], told['reason']]).toEqual([
        principal,
        members,
        decision,
        reason,
      ]);
      expect((told['change'] as readonly unknown[]).length).toBeGreaterThan(0);
    }
  });

  it('and the suggested commands work', async () => {
    const { value } = await command('explain', 'agent:helped', 'gh_issue');
    const offered = (value['change'] as readonly { readonly command: string }[])[0]?.command ?? '';
    expect(offered).toBe('tidegate grant agent:helped gh_issue');
    expect((await command(...offered.split(' ').slice(1))).status).toBe(0);
    expect((await command('check', 'agent:helped', 'gh_issue')).status).toBe(0);
  });
});

describe('on a terminal of 80 columns', () => {
  it('no line is longer, and without a UTF-8 terminal trees use ASCII characters', async () => {
    for (const words of [
      ['profile', 'list'],
      ['profile', 'inspect', 'agent:one'],
      ['explain', 'agent:one', 'gh_issue'],
      ['explain', 'agent:one', 'gh_delete'],
      ['grant', 'agent:wide', 'gh_*'],
    ]) {
      const { stdout } = await runGate(place, words);
      const long = stdout.split('\n').filter((line) => line.length > 80);
      expect([words, long]).toEqual([words, []]);
      expect(stdout).not.toMatch(/[✓✗└├│]/);
    }
    expect((await runGate(place, ['explain', 'agent:one', 'gh_issue'])).stdout).toContain('`- ');
  });
});
