import { describe, expect, it } from 'vitest';
import type { Profile, Profiles, ProfileSource } from './profile.js';
import { principalTuples, profileTuples } from './profile-tuples.js';
import { type ResolveOptions, resolveProfiles } from './resolve-profiles.js';

const isBuiltin = (name: string) => /^(Read|Write|Edit|Glob|Grep|Bash|BashOutput|KillBash)$/.test(name);

function resolved(sources: readonly ProfileSource[], options: Partial<ResolveOptions> = {}): Profiles {
  return resolveProfiles(sources, { isBuiltin, ...options });
}

function profile(name: string, from: Profiles): Profile {
  const found = from.profiles.get(name);
  if (found === undefined) throw new Error(`there is no profile ${name}`);
  return found;
}

const shown = (name: string, from: Profiles): readonly string[] =>
  profile(name, from).entries.map(({ text, effect, from: origin }) => `${effect} ${text} < ${origin}`);

const codes = ({ problems }: Profiles): readonly string[] =>
  problems.map(({ code, path }) => `${code} ${path.join('.')}`);

describe('a profile', () => {
  it('inherits the entries of its parents, at any depth', () => {
    const chain = Array.from({ length: 300 }, (_, at) => ({
      name: `p${String(at)}`,
      ...(at > 0 && { extends: `p${String(at - 1)}` }),
      tools: [`t${String(at)}`],
    }));
    const all = resolved(chain);
    expect(all.problems).toEqual([]);
    expect(profile('p299', all).entries).toHaveLength(300);
    expect(shown('p2', all)).toEqual(['call t0 < p0', 'call t1 < p1', 'call t2 < p2']);
  });

  it('can extend several parents, without duplicate entries', () => {
    const all = resolved([
      { name: 'a', tools: ['Read', 'x_*'] },
      { name: 'b', extends: 'a', tools: ['Read', '!Bash'] },
      { name: 'c', extends: 'a', tools: ['builtin/Read', 'y'], seeOnly: ['server:github', 'Read'] },
      { name: 'd', extends: ['b', 'c', 'b'], tools: ['y', 'y'] },
    ]);
    expect(all.problems).toEqual([]);
    expect(profile('d', all).parents).toEqual(['b', 'c']);
    expect(shown('d', all)).toEqual([
      'call Read < a',
      'call x_* < a',
      'block !Bash < b',
      'call y < c',
      'see server:github < c',
      'see Read < c',
    ]);
  });

  it('may have no tools at all', () => {
    const all = resolved([{ name: 'empty', tools: [] }]);
    expect(profile('empty', all).entries).toEqual([]);
    expect(profileTuples(profile('empty', all))).toEqual([]);
  });

  it('replaces a built-in one, including for profiles that extend it', () => {
    const all = resolved([{ name: 'minimal', tools: ['Read'] }]);
    expect(profile('minimal', all)).toMatchObject({ isShipped: false });
    expect(shown('coding', all)).toEqual([
      'call Read < minimal',
      'call Write < coding',
      'call Edit < coding',
    ]);
    expect(profile('coding', all)).toMatchObject({ isShipped: true });
  });

  it('may extend a built-in one', () => {
    const all = resolved([{ name: 'mine', extends: 'minimal', tools: ['!Grep'], line: 3 }]);
    expect(all.problems).toEqual([]);
    expect(profile('mine', all)).toMatchObject({ line: 3, parents: ['minimal'] });
    expect(shown('mine', all).at(-1)).toBe('block !Grep < mine');
  });

  it('becomes tuples for its assignees', () => {
    const all = resolved([
      {
        name: 'mix',
        tools: ['Read', 'find_*', 'github_create', 'server:github', 'tier:2', '!Bash', '!server:x/y'],
        seeOnly: ['plugin:p'],
      },
    ]);
    const words = profileTuples(profile('mix', all)).map(
      ({ user, relation, object }) => `${user} ${relation} ${object}`,
    );
    expect(words).toEqual([
      'profile:mix#assignee caller tool:builtin/Read',
      'profile:mix#assignee caller group:glob/find_*',
      'profile:mix#assignee caller group:glob/github_create',
      'profile:mix#assignee caller provider:server/github',
      'profile:mix#assignee caller group:tier/2',
      'profile:mix#assignee blocked tool:builtin/Bash',
      'profile:mix#assignee blocked tool:server/x/y',
      'profile:mix#assignee seer provider:plugin/p',
    ]);
  });
});

describe('problems of profiles', () => {
  it('are reported all at once, each with its path', () => {
    const all = resolved(
      [
        { name: 'a', extends: 'b', tools: [] },
        { name: 'b', extends: ['c'], tools: ['agent:alice'] },
        { name: 'c', extends: 'a', tools: [] },
        { name: 'self', extends: 'self', tools: [] },
        { name: 'lost', extends: ['minimul', 'coding'], tools: ['Read'] },
        { name: 'lost', tools: [] },
        { name: 'none', tools: [] },
        { name: '', tools: [] },
        { name: '__proto__', tools: [] },
        { name: 'see', tools: [], seeOnly: ['ok', ''] },
      ],
      {
        defaultProfile: 'gone',
        nearest: (word, known) => known.find((one) => one.startsWith(word.slice(0, 4))),
      },
    );
    expect(codes(all)).toEqual([
      'profiles.bad_entry profiles.b.tools.0',
      'profiles.duplicate profiles.lost',
      'profiles.bad_name profiles.none',
      'profiles.bad_name profiles.',
      'profiles.bad_name profiles.__proto__',
      'profiles.bad_entry profiles.see.see_only.1',
      'profiles.cycle profiles.c.extends',
      'profiles.cycle profiles.self.extends',
      'profiles.unknown_parent profiles.lost.extends',
      'profiles.unknown_default default_profile',
    ]);
    const circles = all.problems.filter(({ code }) => code === 'profiles.cycle');
    expect(circles.map(({ message }) => message.split(': ')[1])).toEqual([
      'a -> b -> c -> a.',
      'self -> self.',
    ]);
    expect(all.problems.find(({ code }) => code === 'profiles.unknown_parent')?.remedy).toContain('minimal');
    expect(all.problems.every(({ severity }) => severity === 'error')).toBe(true);
  });

  it('are found behind a cycle too, and a cycle is reported once', () => {
    const all = resolved([
      { name: 'top', extends: ['left', 'right'], tools: [] },
      { name: 'left', extends: 'loop', tools: [] },
      { name: 'right', extends: ['loop', 'nowhere'], tools: [] },
      { name: 'loop', extends: 'pool', tools: [] },
      { name: 'pool', extends: 'loop', tools: [] },
    ]);
    expect(codes(all)).toEqual([
      'profiles.cycle profiles.pool.extends',
      'profiles.unknown_parent profiles.right.extends',
    ]);
  });

  it.each([
    ['profiles', Array.from({ length: 501 }, (_, at) => ({ name: `p${String(at)}`, tools: [] }))],
    ['profiles.a.tools', [{ name: 'a', tools: Array.from({ length: 5_001 }, (_, at) => `t${String(at)}`) }]],
    [
      'profiles.a.tools.1000',
      [{ name: 'a', tools: Array.from({ length: 1_500 }, (_, at) => `t${String(at)}*`) }],
    ],
  ])('include too many entries: %s', (path, sources) => {
    expect(codes(resolved(sources))).toEqual([`profiles.too_many ${path}`]);
  });

  it('include too many inherited entries', () => {
    const chain = Array.from({ length: 490 }, (_, at) => ({
      name: `p${String(at)}`,
      ...(at > 0 && { extends: `p${String(at - 1)}` }),
      tools: Array.from({ length: 10 }, (__, tool) => `t${String(at)}-${String(tool)}`),
    }));
    const all = resolved(chain);
    expect(new Set(all.problems.map(({ code }) => code))).toEqual(new Set(['profiles.too_many']));
    expect(all.problems.length).toBeLessThanOrEqual(100);
  });

  it('are limited to a hundred', () => {
    const bad = Array.from({ length: 400 }, () => 'x:y');
    expect(resolved([{ name: 'a', tools: bad }]).problems).toHaveLength(100);
  });
});

describe('the default profile', () => {
  it.each([
    [undefined, 'minimal'],
    ['coding', 'coding'],
    ['none', undefined],
  ])('given as %s is %s', (given, expected) => {
    const all = resolved([], given === undefined ? {} : { defaultProfile: given });
    expect(all.problems).toEqual([]);
    expect(all.defaultProfile).toBe(expected);
  });
});

describe('rules for one principal', () => {
  it('add and remove tools in addition to its profile', () => {
    const all = resolved([], {
      principals: [
        {
          principal: 'agent:alice',
          profile: 'coding',
          add: ['Bash', 'server:github'],
          remove: ['Edit', 'x_*'],
        },
        { principal: 'service:ci' },
      ],
    });
    expect(all.problems).toEqual([]);
    const [alice, ci] = all.principals;
    expect(alice).toMatchObject({ principal: { kind: 'agent', id: 'alice' }, profile: 'coding' });
    expect(alice && principalTuples(alice)).toEqual([
      { user: 'principal:agent/alice', relation: 'caller', object: 'tool:builtin/Bash' },
      { user: 'principal:agent/alice', relation: 'caller', object: 'provider:server/github' },
      { user: 'principal:agent/alice', relation: 'blocked', object: 'tool:builtin/Edit' },
      { user: 'principal:agent/alice', relation: 'blocked', object: 'group:glob/x_*' },
    ]);
    expect(ci).toEqual({ principal: { kind: 'service', id: 'ci' }, add: [], remove: [] });
  });

  it('are refused with the position of each problem', () => {
    const all = resolved([], {
      principals: [
        { principal: 'alice', profile: 'gone', add: ['!Bash', 'a:b'] },
        { principal: 'agent:bob', remove: ['!x'] },
        { principal: 'agent:bob' },
      ],
    });
    expect(codes(all)).toEqual([
      'profiles.unknown_profile principals.alice.profile',
      'profiles.bad_entry principals.alice.add.1',
      'profiles.bad_entry principals.alice.add.0',
      'profiles.bad_principal principals.alice',
      'profiles.bad_entry principals.agent:bob.remove.0',
      'profiles.duplicate principals.agent:bob',
    ]);
  });
});
