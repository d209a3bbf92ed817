import { afterEach, describe, expect, it } from 'vitest';
import {
  type AdminPlace,
  openTestAdmin,
  startOfTest,
  type TestAdmin,
} from '../../../test/support/admin-service.js';
import type { Reason } from '../authorizer/index.js';
import { createTokenAdmin, type TokenAdmin } from '../tokens/index.js';
import { type GrantTuple, StoreError } from '../ports/index.js';
import type { Explained } from './explain.js';
import type { StepView } from './steps.js';

let opened: TestAdmin | undefined;
afterEach(() => opened?.close());

async function open(place: AdminPlace = {}): Promise<TestAdmin> {
  opened?.close();
  opened = await openTestAdmin(place);
  return opened;
}

function tokensOf({ store, parts }: TestAdmin): TokenAdmin {
  return createTokenAdmin({ store, zone: 'local', now: parts.now, by: parts.by });
}

async function write({ store }: TestAdmin, ...add: readonly GrantTuple[]): Promise<void> {
  const record = { at: 0, zone: 'local', action: 'test', decision: 'allow', principal: 'user:ana' } as const;
  await store.write({ zone: 'local', add, record });
}

function lines(steps: readonly StepView[], depth = 0): readonly string[] {
  return steps.flatMap(({ says, from, steps: below }) => [
    `${'  '.repeat(depth)}${says} [${from.kind}]`,
    ...lines(below, depth + 1),
  ]);
}

const commands = ({ change }: Explained): readonly (string | undefined)[] => change.map((one) => one.command);
const alice = 'principal:agent/alice';

/** How to produce each reason, and the expected explanation. */
const cases: readonly {
  readonly reason: Reason;
  readonly place?: AdminPlace;
  /** Returns the token to check with, if one is needed. */
  prepare(service: TestAdmin): Promise<unknown>;
  readonly what?: string;
  readonly command: string | undefined;
}[] = [
  {
    reason: 'granted',
    prepare: ({ service }) => service.grant('agent:alice', 'Bash'),
    command: 'tidegate grant agent:alice Bash --block',
  },
  {
    reason: 'admin',
    prepare: ({ service }) => service.grant('agent:alice', undefined, { admin: true }),
    command: 'tidegate revoke agent:alice --admin',
  },
  {
    reason: 'inherited',
    async prepare(place) {
      await place.service.grant('agent:alice', 'Bash');
      const parent = await tokensOf(place).create({ principal: 'agent:alice' });
      const child = await tokensOf(place).attenuate(parent.token.id, {});
      return child.token.id;
    },
    command: 'tidegate grant agent:alice Bash --block',
  },
  {
    reason: 'unknown_tool',
    prepare: () => Promise.resolve(),
    what: 'Bsh',
    command: 'tidegate explain agent:alice Bash',
  },
  { reason: 'no_grant', prepare: () => Promise.resolve(), command: 'tidegate grant agent:alice Bash' },
  {
    reason: 'no_call_grant',
    prepare: ({ service }) => service.grant('agent:alice', 'Bash', { see: true }),
    command: 'tidegate grant agent:alice Bash',
  },
  {
    reason: 'blocked',
    async prepare({ service }) {
      await service.profileAssign('agent:alice', 'full');
      await service.grant('agent:alice', 'tier:3', { block: true });
    },
    command: 'tidegate revoke agent:alice tier:3 --unblock',
  },
  {
    reason: 'grant_expired',
    async prepare({ service, setTime }) {
      await service.grant('agent:alice', 'Bash', { until: '8h' });
      setTime(startOfTest + 9 * 3_600_000);
    },
    command: 'tidegate grant agent:alice Bash --until 30d',
  },
  {
    reason: 'condition_input_missing',
    prepare: (place) =>
      write(place, {
        user: alice,
        relation: 'caller',
        object: 'tool:builtin/Bash',
        condition: { name: 'not_expired' },
      }),
    command: 'tidegate grant agent:alice Bash --until 30d',
  },
  {
    reason: 'condition_failed',
    prepare: (place) =>
      write(place, {
        user: alice,
        relation: 'caller',
        object: 'tool:builtin/Bash',
        condition: { name: 'not_expired', context: { until: 'never' } },
      }),
    command: 'tidegate grant agent:alice Bash --until 30d',
  },
  {
    reason: 'profile_ceiling',
    async prepare(place) {
      await place.service.grant('agent:alice', 'Bash');
      const { token } = await tokensOf(place).create({ principal: 'agent:alice', profile: 'minimal' });
      return token.id;
    },
    command: 'tidegate token create --as agent:alice --profile execution',
  },
  {
    reason: 'profile_unknown',
    async prepare(place) {
      await place.service.grant('agent:alice', 'Bash');
      const { token } = await tokensOf(place).create({ principal: 'agent:alice', profile: 'gone' });
      return token.id;
    },
    command: 'tidegate token create --as agent:alice --profile execution',
  },
  {
    reason: 'tools_ceiling',
    async prepare(place) {
      await place.service.grant('agent:alice', 'Bash');
      const { token } = await tokensOf(place).create({ principal: 'agent:alice', tools: ['Read'] });
      return token.id;
    },
    command: 'tidegate token create --as agent:alice',
  },
  {
    reason: 'parent_lacks',
    async prepare(place) {
      const parent = await tokensOf(place).create({ principal: 'agent:bob' });
      const child = await tokensOf(place).attenuate(parent.token.id, { principal: 'agent:alice' });
      return child.token.id;
    },
    command: 'tidegate grant agent:bob Bash',
  },
  {
    reason: 'credential_void',
    async prepare(place) {
      await place.service.grant('agent:alice', 'Bash');
      const { token } = await tokensOf(place).create({ principal: 'agent:alice' });
      await tokensOf(place).revoke(token.id);
      return token.id;
    },
    command: 'tidegate token create --as agent:alice',
  },
  {
    reason: 'cycle',
    prepare: (place) =>
      write(
        place,
        { user: 'role:a#member', relation: 'member', object: 'role:b' },
        { user: 'role:b#member', relation: 'member', object: 'role:a' },
        { user: 'role:a#member', relation: 'blocked', object: 'tool:builtin/Bash' },
        { user: alice, relation: 'caller', object: 'tool:builtin/Bash' },
      ),
    command: 'tidegate profile inspect agent:alice',
  },
  {
    reason: 'too_deep',
    async prepare({ service }) {
      for (let at = 0; at < 30; at += 1)
        await service.grant(`role:r${String(at)}`, `role:r${String(at + 1)}`);
      await service.grant('role:r30', 'Bash');
      await service.grant('agent:alice', 'role:r0');
    },
    command: 'tidegate profile inspect agent:alice',
  },
];

describe('the reason for a decision', () => {
  it.each(cases)('is $reason', async ({ reason, place, prepare, what = 'Bash', command }) => {
    const service = await open(place);
    const token = await prepare(service);
    const options = typeof token === 'string' ? { token } : {};
    const explained = await service.service.explain('agent:alice', what, options);
    expect(explained).toMatchObject({
      reason,
      principal: 'agent:alice',
      what,
      action: 'call',
      zone: 'local',
    });
    expect(explained.says).toMatch(/^agent:alice may (not )?call (Bsh|Bash): /);
    expect(commands(explained)).toContain(command);
    const { decision } = await service.service.check('agent:alice', what, options);
    expect(decision).toBe(['granted', 'admin', 'inherited'].includes(reason) ? 'allow' : 'deny');
    expect(explained.decision).toBe(decision);
  });

  it('is store_unavailable while the store does not respond', async () => {
    const { parts } = await open();
    const { createAdminService } = await import('./admin.js');
    const gone = new StoreError('store.unavailable', 'gone');
    const broken = {
      ...parts.store,
      head: (): never => {
        throw gone;
      },
    };
    const other = await openTestAdmin({ store: broken });
    const explained = await other.service.explain('agent:alice', 'Bash');
    expect(explained).toMatchObject({ decision: 'deny', reason: 'store_unavailable' });
    expect(explained.revision).toBeUndefined();
    await expect(other.service.profileList()).rejects.toBe(gone);
    await expect(createAdminService(other.parts).grant('agent:alice', 'Bash')).rejects.toBe(gone);
    other.close();
  });

  it('has a case for every reason except two that the admin service cannot produce', () => {
    const unreachable: readonly Reason[] = ['wrong_zone', 'engine_error'];
    const all: readonly Reason[] = [
      ...cases.map(({ reason }) => reason),
      'store_unavailable',
      ...unreachable,
    ];
    expect(new Set(all).size).toBe(20);
  });
});

describe('an explanation', () => {
  it('leads from the tool to the principal, with the origin of each tuple', async () => {
    const { service } = await open({ profiles: [{ name: 'mine', tools: ['github_*'], line: 7 }] });
    await service.grant('agent:alice', 'role:devs');
    await service.profileAssign('role:devs', 'mine');
    const explained = await service.explain('agent:alice', 'github_get_issue');
    expect(explained).toMatchObject({
      decision: 'allow',
      object: 'tool:server/github/get_issue',
      model: 'shipped',
      revision: 2,
      decidedBy: 0,
    });
    expect(lines(explained.links[0]?.because ?? [])).toEqual([
      'server:github/get_issue is in github_* [catalogue]',
      '  everyone with profile:mine may call github_* [profile]',
      '    everyone with role:devs has profile:mine [stored]',
      '      agent:alice is in role:devs [stored]',
    ]);
    const [first] = explained.links[0]?.because ?? [];
    expect(first?.steps[0]?.from).toEqual({
      kind: 'profile',
      profile: 'mine',
      entry: 'github_*',
      from: 'mine',
      isShipped: false,
      line: 7,
    });
    expect(first?.steps[0]?.steps[0]?.from).toEqual({
      kind: 'stored',
      by: 'user:ana',
      at: '2026-08-01T12:00:00.000Z',
      revision: 2,
    });
  });

  it('names the default profile, the file and the credential as origins', async () => {
    const place = await open({ options: { principals: [{ principal: 'agent:bob', add: ['Bash'] }] } });
    const first = await place.service.explain('agent:alice', 'Read');
    expect(lines(first.links[0]?.because ?? []).at(-1)).toBe(
      '  agent:alice has profile:minimal [default_profile]',
    );
    const second = await place.service.explain('agent:bob', 'Bash');
    expect(lines(second.links[0]?.because ?? [])).toEqual(['agent:bob may call builtin/Bash [file]']);
    const { token } = await tokensOf(place).create({ principal: 'agent:carl', profile: 'coding' });
    const third = await place.service.explain('agent:carl', 'Write', { token: token.id });
    expect(lines(third.links[0]?.because ?? []).at(-1)).toBe('  agent:carl has profile:coding [credential]');
    expect(third.links[0]).toMatchObject({ token: token.id, profile: 'coding' });
  });

  it('names the nearest missing tuple, and a profile that would help', async () => {
    const { service } = await open();
    await service.profileAssign('agent:alice', 'coding');
    const explained = await service.explain('agent:alice', 'Bash');
    expect(explained.links[0]?.missing).toEqual({
      says: 'agent:alice may call builtin/Bash',
      user: alice,
      relation: 'caller',
      object: 'tool:builtin/Bash',
      found: 'nothing',
    });
    expect(commands(explained)).toEqual([
      'tidegate grant agent:alice Bash',
      'tidegate profile assign agent:alice execution',
    ]);
  });

  it('names the blocking entry of a profile, and how to remove the block', async () => {
    const { service } = await open({
      profiles: [{ name: 'calm', extends: 'full', tools: ['!tier:3'], line: 3 }],
    });
    await service.profileAssign('agent:alice', 'calm');
    const explained = await service.explain('agent:alice', 'Bash');
    expect(explained).toMatchObject({ decision: 'deny', reason: 'blocked' });
    expect(explained.change).toEqual([
      { says: 'change "!tier:3" in the profile calm (profiles file, line 3)' },
      {
        says: 'remove the profile, or assign another one',
        command: 'tidegate profile assign agent:alice none',
      },
    ]);
  });

  it('names the line of the entry that decided, not that of its profile', async () => {
    const { service } = await open({
      profiles: [{ name: 'calm', extends: 'full', tools: ['Read', '!Bash'], line: 3 }],
      options: {
        principals: [{ principal: 'agent:bob', add: ['Edit'], remove: ['Grep'] }],
        lineAt: (path) =>
          ({ 'profiles.calm.tools.1': 6, 'principals.agent:bob.remove.0': 11 })[path.join('.')],
      },
    });
    await service.profileAssign('agent:alice', 'calm');
    const blocked = await service.explain('agent:alice', 'Bash');
    expect(blocked.change[0]?.says).toBe('change "!Bash" in the profile calm (profiles file, line 6)');
    const removed = await service.explain('agent:bob', 'Grep');
    expect(removed.change[0]?.says).toBe(
      'delete it from `remove` of agent:bob in the profiles file, line 11',
    );
    expect(removed.links[0]?.because[0]?.from).toMatchObject({ kind: 'file', entry: 'Grep', line: 11 });
  });

  it('distinguishes a block from a missing grant, even if nothing grants the tool', async () => {
    const { service } = await open({ profiles: [{ name: 'calm', tools: ['Read', '!Bash'] }] });
    await service.profileAssign('agent:alice', 'calm');
    const blocked = await service.explain('agent:alice', 'Bash');
    expect(blocked).toMatchObject({ decision: 'deny', reason: 'blocked' });
    expect(commands(blocked).at(-1)).toBe('tidegate grant agent:alice Bash');
    expect(await service.check('agent:alice', 'Write')).toMatchObject({ reason: 'no_grant' });
  });

  it('names the smallest profile with the tool, even if other tools would be lost', async () => {
    const { service } = await open({
      profiles: [
        { name: 'viewer', tools: [], seeOnly: ['*'] },
        { name: 'writer', tools: ['Write'] },
      ],
    });
    await service.profileAssign('agent:bob', 'viewer');
    const explained = await service.explain('agent:bob', 'Write');
    expect(commands(explained)).toEqual([
      'tidegate grant agent:bob Write',
      'tidegate profile assign agent:bob full',
      'tidegate profile assign agent:bob writer',
    ]);
    expect(explained.change[2]?.says).toContain('the smallest that allows it');
  });

  it('names the link of a chain that decided', async () => {
    const place = await open();
    await place.service.grant('agent:alice', 'Bash', { block: true });
    await place.service.grant('agent:bob', 'Bash');
    const parent = await tokensOf(place).create({ principal: 'agent:bob' });
    const child = await tokensOf(place).attenuate(parent.token.id, { principal: 'agent:alice' });
    const explained = await place.service.explain('agent:alice', 'Bash', { token: child.token.id });
    expect(explained).toMatchObject({ decision: 'deny', reason: 'blocked', decidedBy: 1 });
    expect(explained.links.map(({ principal, rights, reason }) => [principal, rights, reason])).toEqual([
      ['agent:bob', 'own', 'granted'],
      ['agent:alice', 'inherited', 'blocked'],
    ]);
  });

  it('covers prompts and resources by their provider', async () => {
    const { service } = await open();
    expect(await service.check('agent:alice', 'prompt:github_review')).toMatchObject({ reason: 'no_grant' });
    await service.grant('agent:alice', 'github_*');
    expect(await service.check('agent:alice', 'server:github')).toMatchObject({ reason: 'no_grant' });
    await service.grant('agent:alice', 'server:github', { see: true });
    expect(await service.check('agent:alice', 'server:github', { action: 'see' })).toMatchObject({
      decision: 'allow',
    });
    expect(await service.explain('agent:alice', 'prompt:github_review')).toMatchObject({
      reason: 'no_call_grant',
      object: 'provider:server/github',
    });
    expect(await service.check('agent:alice', 'prompt:gone')).toMatchObject({ reason: 'unknown_tool' });
  });

  it('needs a single target and a valid principal', async () => {
    const { service } = await open();
    const code = (wanted: string): unknown => expect.objectContaining({ code: wanted });
    await expect(service.explain('agent:alice', 'github_*')).rejects.toEqual(code('access.bad_target'));
    await expect(service.explain('agent:alice', 'tier:3')).rejects.toEqual(code('access.bad_target'));
    await expect(service.explain('role:devs', 'Bash')).rejects.toEqual(code('access.bad_principal'));
    await expect(service.explain('agent:alice', 'Bash', { token: 'tok_none' })).rejects.toEqual(
      code('access.unknown_token'),
    );
  });
});
