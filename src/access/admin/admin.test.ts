import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type AdminPlace,
  adminTools,
  openTestAdmin,
  startOfTest,
  type TestAdmin,
  tool,
} from '../../../test/support/admin-service.js';
import { auditActions } from '../audit-actions.js';
import { type GrantTuple, StoreError } from '../ports/index.js';

let opened: TestAdmin | undefined;
afterEach(() => opened?.close());

async function open(place: AdminPlace = {}): Promise<TestAdmin> {
  opened?.close();
  opened = await openTestAdmin(place);
  return opened;
}

const words = ({ user, relation, object }: GrantTuple): string => `${user} ${relation} ${object}`;
const failsWith = (code: string): unknown => expect.objectContaining({ name: 'AdminError', code });

describe('profiles', () => {
  it('are listed with their parents, tools, source and the default', async () => {
    const { service } = await open({ profiles: [{ name: 'mine', extends: 'coding', tools: ['github_*'] }] });
    const { profiles, defaultProfile } = await service.profileList();
    expect(defaultProfile).toBe('minimal');
    expect(profiles.map(({ name, tools, source }) => `${name} ${String(tools)} ${source}`)).toEqual(
      expect.arrayContaining(['minimal 3 shipped', 'coding 5 shipped', 'full 10 shipped', 'mine 7 file']),
    );
    expect(profiles.filter(({ isDefault }) => isDefault).map(({ name }) => name)).toEqual(['minimal']);
  });

  it('are shown entry by entry, with the meaning and origin of each', async () => {
    const { service } = await open({
      profiles: [{ name: 'mine', extends: 'minimal', tools: ['github_*', '!Grep', 'gone'], line: 4 }],
    });
    const own = await service.profileShow('mine');
    expect(own.entries.map(({ entry, effect, tools }) => ({ entry, effect, tools }))).toEqual([
      { entry: 'github_*', effect: 'call', tools: ['github_create_issue', 'github_get_issue'] },
      { entry: '!Grep', effect: 'block', tools: ['Grep'] },
      { entry: 'gone', effect: 'call', tools: [] },
    ]);
    expect(own).toMatchObject({ unknown: ['gone'], line: 4, source: 'file', parents: ['minimal'] });
    expect(own.call).toEqual(['Glob', 'Read', 'github_create_issue', 'github_get_issue']);
    const all = await service.profileShow('mine', { resolved: true });
    expect(all.entries.map(({ entry, from }) => `${from} ${entry}`)).toEqual([
      'minimal Read',
      'minimal Glob',
      'minimal Grep',
      'mine github_*',
      'mine !Grep',
      'mine gone',
    ]);
  });

  it('that do not exist are refused, with the nearest name as a suggestion', async () => {
    const { service } = await open();
    await expect(service.profileShow('codng')).rejects.toThrow('Did you mean "coding"?');
    await expect(service.profileAssign('agent:alice', 'codng')).rejects.toEqual(
      failsWith('access.unknown_profile'),
    );
  });
});

describe('assigning a profile', () => {
  it('replaces the previous one in one transaction, and reports gained and lost tools', async () => {
    const { service, store } = await open();
    const first = await service.profileAssign('agent:alice', 'execution');
    expect(first).toMatchObject({ changed: true, revision: 1, replaced: [], notes: [] });
    expect(first.opened.call).toEqual(['Bash', 'BashOutput', 'Edit', 'KillBash', 'Write']);
    const second = await service.profileAssign('agent:alice', 'minimal');
    expect(second).toMatchObject({ revision: 2, replaced: ['execution'], opened: { call: [] } });
    expect(second.closed.call).toEqual(['Bash', 'BashOutput', 'Edit', 'KillBash', 'Write']);
    expect((await store.grants('local')).map(words)).toEqual([
      'principal:agent/alice assignee profile:minimal',
    ]);
    const [record] = await store.audit({ zone: 'local', limit: 1 });
    expect(record).toMatchObject({
      action: 'profile.assign',
      principal: 'user:ana',
      target: 'agent:alice',
      revision: 2,
      detail: {
        profile: 'minimal',
        add: ['profile:minimal#assignee@principal:agent/alice'],
        remove: ['profile:execution#assignee@principal:agent/alice'],
      },
    });
  });

  it('twice changes nothing, and `none` removes it', async () => {
    const { service } = await open();
    await service.profileAssign('agent:alice', 'coding');
    expect(await service.profileAssign('agent:alice', 'coding')).toMatchObject({
      changed: false,
      revision: 1,
    });
    const none = await service.profileAssign('agent:alice', 'none');
    expect(none).toMatchObject({ changed: true, revision: 2, replaced: ['coding'] });
    expect(none.notes).toEqual([
      'agent:alice has no assigned profile, so the default profile minimal applies.',
    ]);
    expect(none.profile).toBeUndefined();
  });

  it('works for a role, and applies to its members', async () => {
    const { service } = await open();
    await service.grant('agent:bob', 'role:devs');
    await service.profileAssign('role:devs', 'coding');
    expect(await service.profileInspect('agent:bob')).toMatchObject({
      profiles: ['coding'],
      roles: ['role:devs'],
      assigned: [],
      matching: ['coding', 'tl'],
    });
    expect(await service.profileInspect('role:devs')).toMatchObject({
      members: ['agent:bob'],
      profiles: ['coding'],
    });
    const note = (await service.profileAssign('agent:bob', 'minimal')).notes;
    expect(note).toEqual(['agent:bob also has these profiles through roles: coding.']);
  });

  it('is refused for everybody and for invalid principals', async () => {
    const { service } = await open();
    await expect(service.profileAssign('everybody', 'coding')).rejects.toEqual(
      failsWith('access.bad_principal'),
    );
    await expect(service.profileAssign('alice', 'coding')).rejects.toMatchObject({
      code: 'access.bad_principal',
      next: 'did you mean agent:alice?',
    });
  });
});

describe('inspecting a principal', () => {
  it('shows profiles, grants with their expiry, blocks, the file, and the resulting tools', async () => {
    const { service, setTime } = await open({
      options: {
        principals: [{ principal: 'agent:alice', profile: 'coding', add: ['github_*'], remove: ['Edit'] }],
      },
    });
    await service.grant('agent:alice', 'Bash', { until: '8h' });
    await service.grant('agent:alice', 'Grep', { block: true });
    const before = await service.profileInspect('agent:alice');
    expect(before).toMatchObject({
      principal: 'agent:alice',
      zone: 'local',
      revision: 2,
      isAdmin: false,
      profiles: ['coding'],
      byDefault: 'coding',
      added: ['github_*'],
      taken: ['Edit'],
      grants: [
        { what: 'builtin/Bash', relation: 'caller', until: '2026-08-01T20:00:00.000Z', isExpired: false },
      ],
      blocks: [{ what: 'builtin/Grep', by: 'user:ana', at: '2026-08-01T12:00:00.000Z', revision: 2 }],
    });
    expect(before.call).toEqual(['Bash', 'Glob', 'Read', 'Write', 'github_create_issue', 'github_get_issue']);
    setTime(startOfTest + 9 * 3_600_000);
    const after = await service.profileInspect('agent:alice');
    expect(after.grants).toMatchObject([{ isExpired: true }]);
    expect(after.call).not.toContain('Bash');
  });

  it('reports an assigned profile that no longer exists', async () => {
    const { service, store } = await open({ profiles: [{ name: 'mine', tools: ['Bash'] }] });
    await service.profileAssign('agent:alice', 'mine');
    const { service: later } = await open({ store });
    const note = 'Profile mine does not exist, so it grants nothing.';
    expect(await later.profileInspect('agent:alice')).toMatchObject({ call: [], notes: [note] });
    expect(await later.explain('agent:alice', 'Bash')).toMatchObject({ reason: 'no_grant', notes: [note] });
  });

  it('says that the operator needs no grant on this machine', async () => {
    const { service } = await open();
    expect((await service.profileInspect('user:ana')).notes.join()).toContain('is the operator');
    expect((await service.profileInspect('user:bea')).notes).toEqual([]);
  });
});

describe('a misspelled name', () => {
  it.each([
    ['everyone', 'did you mean everybody?'],
    ['*', 'did you mean everybody?'],
    ['agent:*', 'did you mean everybody?'],
    ['agnt:alice', 'did you mean agent:alice?'],
    ['roles:devs', 'did you mean role:devs?'],
    ['alice', 'did you mean agent:alice?'],
  ])('gets a suggestion as a receiver: %s', async (who, next) => {
    const { service } = await open();
    await expect(service.grant(who, 'Read')).rejects.toMatchObject({ code: 'access.bad_principal', next });
  });

  it('gets a note if it could be a new principal', async () => {
    const { service } = await open();
    await service.grant('agent:alice', 'Bash');
    await service.grant('agent:alice', 'role:devs');
    expect((await service.check('agent:alice', 'Baash')).notes).toEqual([
      'No tool matches "Baash". Did you mean "Bash"?',
    ]);
    expect((await service.check('agent:alice', 'Bash')).notes).toEqual([]);
    const slip = 'agent:alcie has not been used before. Did you mean agent:alice?';
    expect((await service.explain('agent:alcie', 'Bash')).notes).toEqual([slip]);
    expect((await service.check('agent:alcie', 'Bash')).notes).toEqual([slip]);
    expect((await service.profileInspect('agent:alcie')).notes).toEqual([slip]);
    expect((await service.revoke('agent:alcie', 'Bash')).notes).toEqual([slip]);
    expect((await service.profileAssign('agent:alcie', 'coding')).notes).toEqual([slip]);
    expect((await service.grant('agent:alcie', 'Bash')).notes).toEqual([]);
    expect((await service.grant('agent:alice', 'role:dvs')).notes).toEqual([
      'role:dvs has not been used before. Did you mean role:devs?',
    ]);
  });

  it('is not assumed if names differ in a number, or a lot', async () => {
    const { service } = await open();
    await service.grant('agent:worker-1', 'Bash');
    expect((await service.grant('agent:worker-2', 'Bash')).notes).toEqual([]);
    expect((await service.grant('agent:somebody', 'Bash')).notes).toEqual([]);
    expect((await service.grant('user:worker-1', 'Bash')).notes).toEqual([]);
  });
});

describe('granting', () => {
  it.each([
    ['Read', 'tool:builtin/Read', []],
    ['Bash', 'tool:builtin/Bash', ['Bash']],
    ['builtin/Bash', 'tool:builtin/Bash', ['Bash']],
    ['github_create_issue', 'tool:server/github/create_issue', ['github_create_issue']],
    ['server:github/create_issue', 'tool:server/github/create_issue', ['github_create_issue']],
    ['github_*', 'group:glob/github_*', ['github_create_issue', 'github_get_issue']],
    ['server:github', 'provider:server/github', ['github_create_issue', 'github_get_issue']],
    ['tier:3', 'group:tier/3', ['Bash', 'BashOutput', 'KillBash']],
  ])('%s writes one tuple on %s', async (what, object, opens) => {
    const { service } = await open();
    const granted = await service.grant('agent:alice', what);
    expect(granted.tuple).toMatchObject({ user: 'principal:agent/alice', relation: 'caller', object });
    expect(granted.tuple.says).toMatch(/^agent:alice may call \S+$/);
    expect(granted.wrote).toEqual([granted.tuple]);
    expect(granted).toMatchObject({ changed: true, revision: 1, opened: { call: opens }, notes: [] });
    const again = await service.grant('agent:alice', what);
    expect(again).toMatchObject({ changed: false, revision: 1, wrote: [], opened: { see: [], call: [] } });
  });

  it('grants seeing only, to a role, to everybody, and admin rights', async () => {
    const { service } = await open();
    expect(await service.grant('agent:alice', 'Bash', { see: true })).toMatchObject({
      tuple: { relation: 'seer' },
      opened: { see: ['Bash'], call: [] },
    });
    expect(await service.grant('role:devs', 'Bash')).toMatchObject({
      tuple: { user: 'role:devs#member' },
      opened: { call: ['Bash'] },
    });
    expect(await service.grant('everybody', 'Write', { see: true })).toMatchObject({
      tuple: { user: 'principal:*', relation: 'seer' },
    });
    await expect(service.grant('everybody', 'Write')).rejects.toMatchObject({
      code: 'access.not_in_model',
      message: expect.stringContaining('You can only let everybody see individual tools'),
      next: expect.stringContaining('tidegate grant everybody Write --see'),
    });
    await expect(service.grant('everybody', 'github_*', { see: true })).rejects.toEqual(
      failsWith('access.not_in_model'),
    );
    await expect(service.revoke('agent:alice', 'profile:coding')).rejects.toMatchObject({
      code: 'access.bad_target',
      next: 'tidegate profile assign agent:alice none',
    });
    expect(await service.grant('agent:bob', undefined, { admin: true })).toMatchObject({
      tuple: { relation: 'admin', object: 'zone:local' },
    });
    expect(await service.profileInspect('agent:bob')).toMatchObject({ isAdmin: true, matching: ['full'] });
  });

  it('refuses a name that matches nothing, with a suggestion, unless forced', async () => {
    const { service } = await open();
    await expect(service.grant('agent:alice', 'github_create_isue')).rejects.toThrow(
      'Did you mean "github_create_issue"?',
    );
    await expect(service.grant('agent:alice', 'server:gitlab')).rejects.toEqual(
      failsWith('access.unknown_tool'),
    );
    expect(await service.grant('agent:alice', 'gitlab_*', { force: true })).toMatchObject({
      tuple: { object: 'group:glob/gitlab_*' },
      opened: { call: [] },
    });
    await expect(service.grant('agent:alice', 'profile:coding')).rejects.toMatchObject({
      code: 'access.bad_target',
      next: 'tidegate profile assign agent:alice coding',
    });
    await expect(service.grant('agent:alice', 'server:')).rejects.toEqual(failsWith('access.bad_target'));
  });

  it('asks unlisted servers only about unknown names, and reports those that do not answer', async () => {
    const unknown = { specs: adminTools, unlisted: ['server:slack'] } as const;
    const whole = { specs: [...adminTools, tool('slack_post', { source: 'server:slack' })], unlisted: [] };
    let asked = 0;
    const { service } = await open({
      more: {
        catalogue: () => Promise.resolve(asked > 1 ? whole : unknown),
        wholeCatalogue: () => Promise.resolve((asked += 1) > 1 ? whole : unknown),
      },
    });
    await service.grant('agent:alice', 'Bash');
    await service.profileAssign('agent:alice', 'coding');
    expect(asked).toBe(0);
    await expect(service.grant('agent:alice', 'slack_post')).rejects.toThrow('server:slack');
    expect(await service.grant('agent:alice', 'slack_post')).toMatchObject({
      opened: { call: ['slack_post'] },
    });
    expect(asked).toBe(2);
  });

  it('accepts an expiry, and reports what it replaces', async () => {
    const { service } = await open();
    await service.grant('agent:alice', 'Bash');
    const until = await service.grant('agent:alice', 'Bash', { until: '2026-12-31' });
    expect(until.tuple.condition).toEqual({
      name: 'not_expired',
      context: { until: '2026-12-31T00:00:00.000Z' },
    });
    expect(until.notes).toEqual(['This replaces an earlier grant without expiry.']);
    await expect(service.grant('agent:alice', 'Bash', { until: 'soon' })).rejects.toEqual(
      failsWith('access.bad_time'),
    );
    await expect(service.grant('agent:alice', 'Bash', { until: '2020-01-01' })).rejects.toEqual(
      failsWith('access.bad_time'),
    );
  });

  it('reports at once that a block overrides it', async () => {
    const { service } = await open();
    expect(await service.grant('agent:alice', 'Read', { block: true })).toMatchObject({
      closed: { see: ['Read'], call: ['Read'] },
    });
    const granted = await service.grant('agent:alice', 'Read');
    expect(granted.notes.join()).toContain('Still blocked: Read. See why: tidegate explain agent:alice Read');
  });

  it('refuses contradictory options', async () => {
    const { service } = await open();
    const wrong = failsWith('access.bad_request');
    await expect(service.grant('agent:alice', undefined)).rejects.toEqual(wrong);
    await expect(service.grant('agent:alice', 'Read', { admin: true })).rejects.toEqual(wrong);
    await expect(service.grant('agent:alice', 'Read', { see: true, block: true })).rejects.toEqual(wrong);
    await expect(service.grant('agent:alice', 'Read', { block: true, until: '8h' })).rejects.toEqual(wrong);
    await expect(service.grant('agent:alice', 'role:devs', { block: true })).rejects.toEqual(wrong);
    await expect(service.grant('agent:alice', 'role:devs', { until: '8h' })).rejects.toEqual(
      failsWith('access.not_in_model'),
    );
  });

  it('refuses to make a role a member of itself, directly or indirectly', async () => {
    const { service, store } = await open();
    await expect(service.grant('role:a', 'role:a')).rejects.toThrow('role:a in role:a');
    await service.grant('role:a', 'role:b');
    await service.grant('role:b', 'role:c');
    await expect(service.grant('role:c', 'role:a')).rejects.toMatchObject({
      code: 'access.role_cycle',
      message: 'The role would become a member of itself: role:c in role:a in role:b in role:c.',
    });
    expect((await store.head('local')).revision).toBe(2);
    await service.revoke('role:b', 'role:c');
    await expect(service.grant('role:c', 'role:a')).resolves.toMatchObject({ changed: true });
  });

  it('never lets two concurrent writers create a cycle', async () => {
    const { store } = await open();
    // Neither writes before both have planned.
    let arrived = 0;
    let release: () => void = () => undefined;
    const both = new Promise<void>((resolve) => (release = resolve));
    const meeting: typeof store = {
      ...store,
      async write(change) {
        arrived += 1;
        if (arrived === 2) release();
        await both;
        return store.write(change);
      },
    };
    const [one, two] = [await openTestAdmin({ store: meeting }), await openTestAdmin({ store: meeting })];
    const ends = await Promise.allSettled([
      one.service.grant('role:a', 'role:b'),
      two.service.grant('role:b', 'role:a'),
    ]);
    one.close();
    two.close();
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = ends.find(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { code: 'access.role_cycle' } });
    expect(arrived).toBe(2);
    expect(await store.grants('local')).toHaveLength(1);
  });

  it('gives up when others keep writing', async () => {
    const { store } = await open();
    let tries = 0;
    const busy: typeof store = {
      ...store,
      write() {
        tries += 1;
        return Promise.reject(new StoreError('store.conflict', 'another writer was faster'));
      },
    };
    const late = await openTestAdmin({ store: busy });
    await expect(late.service.grant('agent:alice', 'Bash')).rejects.toEqual(failsWith('access.conflict'));
    late.close();
    expect(tries).toBe(500);
  });
});

describe('revoking', () => {
  it('removes direct grants, and reports which rights remain and where they come from', async () => {
    const { service } = await open();
    await service.profileAssign('agent:alice', 'coding');
    await service.grant('agent:alice', 'Write');
    await service.grant('agent:alice', 'Bash');
    const bash = await service.revoke('agent:alice', 'Bash');
    expect(bash).toMatchObject({ changed: true, still: [], closed: { call: ['Bash'] }, notes: [] });
    const write = await service.revoke('agent:alice', 'Write');
    expect(write).toMatchObject({
      changed: true,
      still: [{ tool: 'Write', action: 'call', through: 'profile coding' }],
    });
    expect(write.notes.join()).toContain('tidegate revoke agent:alice Write --block');
    const blocked = await service.revoke('agent:alice', 'Write', { block: true });
    expect(blocked).toMatchObject({ still: [], closed: { call: ['Write'] } });
    expect(blocked.wrote.map(words)).toEqual(['principal:agent/alice blocked tool:builtin/Write']);
    const unblocked = await service.revoke('agent:alice', 'Write', { unblock: true });
    expect(unblocked).toMatchObject({ opened: { call: ['Write'] }, changed: true });
  });

  it('of a set also removes grants of its members', async () => {
    const { service, store } = await open();
    await service.grant('agent:alice', 'github_create_issue');
    await service.grant('agent:alice', 'github_get_issue', { force: true });
    await service.grant('agent:alice', 'server:github/gone', { force: true });
    await service.grant('agent:alice', 'server:github');
    await service.grant('agent:alice', 'Bash');
    const revoked = await service.revoke('agent:alice', 'server:github');
    expect(revoked.removed).toHaveLength(4);
    expect((await store.grants('local')).map(words)).toEqual([
      'principal:agent/alice caller tool:builtin/Bash',
    ]);
  });

  it('reports rights that remain through roles, everybody and other grants', async () => {
    const { service } = await open();
    await service.grant('agent:alice', 'role:devs');
    await service.grant('role:devs', 'Bash');
    await service.grant('everybody', 'Write', { see: true });
    await service.grant('agent:alice', 'tier:1');
    const through = async (what: string): Promise<unknown> =>
      (await service.revoke('agent:alice', what)).still.map((one) => one.through);
    expect(await through('Bash')).toEqual(['role devs']);
    expect(await through('Edit')).toEqual(['a grant on tier:1']);
    await service.revoke('agent:alice', 'tier:1');
    expect(await through('Write')).toEqual(['a grant to everybody']);
  });

  it('of everything keeps blocks, unless they are included', async () => {
    const { service, store } = await open();
    await service.profileAssign('agent:alice', 'coding');
    await service.grant('agent:alice', 'Bash');
    await service.grant('agent:alice', 'role:devs');
    await service.grant('agent:alice', 'Read', { block: true });
    await service.grant('agent:bob', 'Bash');
    expect((await service.revoke('agent:alice', undefined, { all: true })).removed).toHaveLength(3);
    expect((await store.grants('local', { user: 'principal:agent/alice' })).map(words)).toEqual([
      'principal:agent/alice blocked tool:builtin/Read',
    ]);
    const rest = await service.revoke('agent:alice', undefined, { all: true, unblock: true });
    expect(rest.removed).toHaveLength(1);
    expect(await store.grants('local')).toHaveLength(1);
  });

  it('of a right that is not granted changes nothing; an unknown name is refused', async () => {
    const { service } = await open();
    expect(await service.revoke('agent:alice', 'Bash')).toMatchObject({ changed: false, revision: 0 });
    await expect(service.revoke('agent:alice', 'Bahs')).rejects.toEqual(failsWith('access.unknown_tool'));
    await service.grant('agent:alice', 'gone_*', { force: true });
    expect(await service.revoke('agent:alice', 'gone_*')).toMatchObject({ changed: true });
    await service.grant('agent:alice', undefined, { admin: true });
    expect(await service.revoke('agent:alice', undefined, { admin: true })).toMatchObject({ changed: true });
    await expect(service.revoke('agent:alice', undefined)).rejects.toEqual(failsWith('access.bad_request'));
    await expect(service.revoke('agent:alice', 'Bash', { all: true })).rejects.toEqual(
      failsWith('access.bad_request'),
    );
  });
});

describe('the audit log', () => {
  it('is read newest first, in pages, by principal and by decision', async () => {
    const { service, store } = await open();
    for (const name of ['Read', 'Write', 'Edit']) await service.grant('agent:alice', name);
    const at = startOfTest;
    await store.appendAudit([
      { at, zone: 'local', action: 'call', decision: 'deny', principal: 'agent:bob', reason: 'no_grant' },
    ]);
    expect((await service.audit()).records.map(({ action }) => action)).toEqual([
      'call',
      'grant.write',
      'grant.write',
      'grant.write',
    ]);
    expect((await service.audit({ denied: true })).records).toHaveLength(1);
    expect((await service.audit({ principal: 'user:ana' })).records).toHaveLength(3);
    const page = await service.audit({ limit: 2 });
    expect(page.records).toHaveLength(2);
    const rest = await service.audit({ limit: 2, ...(page.before !== undefined && { before: page.before }) });
    expect(rest.records).toHaveLength(2);
    expect(rest.before).toBeUndefined();
    await expect(service.audit({ limit: 0 })).rejects.toEqual(failsWith('access.bad_request'));
  });

  it('filters by the full principal name only, and hints at typos', async () => {
    const { service } = await open();
    await service.grant('agent:alice', 'Read');
    await expect(service.audit({ principal: 'alice' })).rejects.toMatchObject({
      code: 'access.bad_principal',
      next: 'did you mean agent:alice?',
    });
    const slip = 'agent:alcie has not been used before. Did you mean agent:alice?';
    expect(await service.audit({ principal: 'agent:alcie' })).toEqual({ records: [], notes: [slip] });
    // Unidentified callers that were refused are recorded under this name.
    expect(await service.audit({ principal: 'nobody' })).toEqual({ records: [], notes: [] });
  });

  it('reports an unknown action, and still returns records', async () => {
    const { service, store } = await open();
    const old = { at: startOfTest, zone: 'local', decision: 'allow', principal: 'agent:bob' } as const;
    await store.appendAudit([{ ...old, action: 'cal' }]);
    const { records, notes } = await service.audit({ action: 'cal' });
    expect(records).toHaveLength(1);
    expect(notes).toEqual(['Unknown action "cal". Did you mean call?']);
    expect((await service.audit({ action: 'call' })).notes).toEqual([]);
  });

  it('lists every action that the program records', () => {
    const root = join(import.meta.dirname, '..', '..');
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
    const makers = files.filter((file) => /^(access|app|features|workspace)\b.*(?<!\.test)\.ts$/.test(file));
    const recorded = makers.flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return [...text.matchAll(/action: '([\w.]+)',\s+decision/g)].map(([, action]) => action);
    });
    // Control: the search finds actions.
    expect(recorded).toEqual(
      expect.arrayContaining(['describe', 'authenticate', 'admin', 'profiles.change']),
    );
    expect(auditActions).toEqual(expect.arrayContaining(recorded));
  });

  it('loses old records when pruned, and records who did it', async () => {
    const { service, store } = await open();
    const old = {
      at: startOfTest - 100 * 86_400_000,
      zone: 'local',
      action: 'call',
      decision: 'allow',
    } as const;
    await store.appendAudit(Array.from({ length: 1200 }, () => ({ ...old, principal: 'agent:alice' })));
    await expect(service.auditPrune({ olderThan: '90d' })).rejects.toEqual(
      failsWith('access.prune_too_much'),
    );
    await expect(service.auditPrune({ olderThan: '2100-01-01' })).rejects.toEqual(
      failsWith('access.bad_time'),
    );
    await service.grant('agent:alice', 'Bash');
    expect(await service.auditPrune({ olderThan: '90d', dryRun: true })).toEqual({
      before: '2026-05-03T12:00:00.000Z',
      removed: 1200,
      isDryRun: true,
    });
    const date = '2026-05-03T12:00:00Z';
    expect(await service.auditPrune({ olderThan: date })).toMatchObject({ removed: 1200, isDryRun: false });
    const { records } = await service.audit();
    expect(records.map(({ action, principal, detail }) => [action, principal, detail?.['removed']])).toEqual([
      ['audit.prune', 'user:ana', 1200],
      ['grant.write', 'user:ana', undefined],
    ]);
    await expect(service.auditPrune({ olderThan: 'long' })).rejects.toEqual(failsWith('access.bad_time'));
  });
});
