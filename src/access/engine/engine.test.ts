import { describe, expect, it } from 'vitest';
import { failingCases } from '../../../test/support/access-cases.js';
import {
  AccessError,
  answerFrom,
  compileModel,
  createEngine,
  createMemoryTuples,
  loadConditions,
  openAccessEngine,
  parseTuple,
  type Tuple,
} from './index.js';

const model = `
model
  schema 1.1
type user
type group
  relations
    define member: [user, group#member]
type folder
  relations
    define viewer: [user, group#member]
type doc
  relations
    define parent: [folder]
    define owner: [user]
    define blocked: [user, group#member]
    define viewer: ([user, user:*, user with early] or owner or viewer from parent) but not blocked
condition early(now: timestamp) {
  now < timestamp("2026-01-01T00:00:00Z")
}
`;
const tuple = (user: string, relation: string, object: string): Tuple => ({ user, relation, object });
const tuples = [
  tuple('folder:1', 'parent', 'doc:1'),
  tuple('group:a#member', 'viewer', 'folder:1'),
  tuple('group:b#member', 'member', 'group:a'),
  tuple('user:ana', 'member', 'group:b'),
  tuple('user:eve', 'owner', 'doc:1'),
  tuple('user:eve', 'blocked', 'doc:1'),
];

describe('an engine', () => {
  it('handles depth, conditions and contextual tuples', async () => {
    expect(await failingCases(openAccessEngine)).toEqual([]);
  });

  it('applies removals at once', async () => {
    const engine = await openAccessEngine({ model, tuples });
    const asked = tuple('user:ana', 'viewer', 'doc:1');
    expect(await engine.check(asked)).toBe(true);
    await engine.remove([tuple('user:ana', 'member', 'group:b')]);
    expect(await engine.check(asked)).toBe(false);
    await engine.write([tuple('user:ana', 'owner', 'doc:1')]);
    expect(await engine.check(asked)).toBe(true);
    expect(await engine.listObjects({ user: 'user:ana', relation: 'viewer', type: 'doc' })).toEqual([
      'doc:1',
    ]);
  });

  it('writes and removes all or none', async () => {
    const engine = await openAccessEngine({ model });
    const good = tuple('user:ana', 'owner', 'doc:1');
    await expect(engine.write([good, tuple('group:a', 'owner', 'doc:1')])).rejects.toThrow(AccessError);
    expect(await engine.check(good)).toBe(false);
    await engine.write([good]);
    await expect(engine.remove([good, tuple('user:bob', 'owner', 'doc:1')])).rejects.toMatchObject({
      code: 'tuple.not_found',
    });
    expect(await engine.check(good)).toBe(true);
  });

  it.each([
    [tuple('user:ana', 'owner', 'book:1'), 'tuple.object'],
    [tuple('robot:1', 'owner', 'doc:1'), 'tuple.user'],
    [tuple('user:ana', 'reader', 'doc:1'), 'tuple.relation'],
    [tuple('group:a', 'owner', 'doc:1'), 'tuple.type_not_allowed'],
    [tuple('user:*', 'owner', 'doc:1'), 'tuple.type_not_allowed'],
    [tuple('user ana', 'owner', 'doc:1'), 'tuple.user'],
    [tuple('user:ana', 'owner', 'doc:*'), 'tuple.object'],
    [{ ...tuple('user:ana', 'viewer', 'doc:1'), condition: { name: 'late' } }, 'tuple.condition_unknown'],
    [{ ...tuple('user:ana', 'owner', 'doc:1'), condition: { name: 'early' } }, 'tuple.condition_not_allowed'],
    [
      { ...tuple('user:ana', 'viewer', 'doc:1'), condition: { name: 'early', context: { now: 5 } } },
      'tuple.condition_context',
    ],
    [
      { ...tuple('user:ana', 'viewer', 'doc:1'), condition: { name: 'early', context: { then: 5 } } },
      'tuple.condition_context',
    ],
  ])('refuses to write %j', async (wrong, code) => {
    const engine = await openAccessEngine({ model });
    await expect(engine.write([wrong])).rejects.toMatchObject({ code });
  });

  it('terminates if all groups are members of each other, and denies under an exclusion', async () => {
    const groups = Array.from({ length: 60 }, (_, index) => `group:${index}`);
    const mesh = groups.flatMap((one) => groups.map((other) => tuple(`${other}#member`, 'member', one)));
    const engine = await openAccessEngine({
      model,
      tuples: [...mesh, tuple('user:ana', 'owner', 'doc:1'), tuple('group:0#member', 'blocked', 'doc:1')],
      maxDepth: 100,
    });
    expect(await engine.check(tuple('user:ana', 'member', 'group:0'))).toBe(false);
    expect(await engine.check(tuple('user:ana', 'viewer', 'doc:1'))).toBe(false);
    expect(await engine.listUsers({ object: 'group:0', relation: 'member', filters: ['user'] })).toEqual([]);
  });

  it('expands one level', async () => {
    const engine = await openAccessEngine({ model, tuples });
    expect(await engine.expand({ object: 'doc:1', relation: 'viewer' })).toEqual({
      kind: 'not',
      base: {
        kind: 'or',
        of: [
          { kind: 'users', users: [] },
          { kind: 'computed', userset: 'doc:1#owner' },
          { kind: 'through', tupleset: 'doc:1#parent', usersets: ['folder:1#viewer'] },
        ],
      },
      subtract: { kind: 'computed', userset: 'doc:1#blocked' },
    });
  });

  it('gives no answer if its source fails', async () => {
    const compiled = await compileModel(model);
    const broken = (): never => {
      throw new Error('the store is down');
    };
    const source = { find: broken, of: broken, usersetsOf: broken, byUser: broken };
    const engine = createEngine(compiled, source, await loadConditions(compiled));
    expect(() => engine.check(tuple('user:ana', 'viewer', 'doc:1'))).toThrow('the store is down');
    expect(() => engine.listObjects({ user: 'user:ana', relation: 'viewer', type: 'doc' })).toThrow('down');
    expect(() => createEngine(compiled, source)).toThrow(AccessError);
  });

  it('works with an asynchronous store', async () => {
    const compiled = await compileModel(model);
    const conditions = await loadConditions(compiled);
    const stored = createMemoryTuples(tuples);
    const reads: string[] = [];
    const source = {
      of: async (object: string, relation: string) => {
        reads.push(`${object}#${relation}`);
        return stored.of(object, relation);
      },
      byUser: async (user: string) => stored.byUser(user),
    };
    const asked = tuple('user:ana', 'viewer', 'doc:1');
    expect(
      await answerFrom(source, (tuplesNow) => createEngine(compiled, tuplesNow, conditions).check(asked)),
    ).toBe(true);
    expect(reads).toEqual([...new Set(reads)]);
    expect(parseTuple(asked).objectType).toBe('doc');
  });
});

describe('an explanation', () => {
  it('shows the tuples that led to the permission', async () => {
    const engine = await openAccessEngine({ model, tuples });
    const { outcome, proof } = await engine.explain(tuple('user:ana', 'viewer', 'doc:1'));
    const chain: (Tuple | undefined)[] = [];
    for (let step = proof; step !== undefined; step = step.steps[0]) if (step.tuple) chain.push(step.tuple);
    expect(outcome).toBe('allow');
    expect(chain).toEqual(tuples.slice(0, 4));
  });

  it('shows the exclusion that applied', async () => {
    const engine = await openAccessEngine({ model, tuples });
    const { outcome, blockedBy } = await engine.explain(tuple('user:eve', 'viewer', 'doc:1'));
    expect(outcome).toBe('deny');
    expect(JSON.stringify(blockedBy)).toContain('"relation":"blocked"');
  });

  it('shows where a tuple was missing, and what was found there instead', async () => {
    const engine = await openAccessEngine({ model, tuples });
    await engine.write([{ ...tuple('user:bob', 'viewer', 'doc:1'), condition: { name: 'early' } }]);
    const now = (time: string) => ({ context: { now: time } });
    const late = await engine.explain(tuple('user:bob', 'viewer', 'doc:1'), now('2027-01-01T00:00:00Z'));
    expect(late.missing.map(({ object, relation, found }) => `${object}#${relation} ${found}`)).toEqual([
      'doc:1#viewer condition_not_met',
      'doc:1#owner nothing',
      'folder:1#viewer nothing',
      'group:a#member nothing',
      'group:b#member nothing',
    ]);
    const silent = await engine.explain(tuple('user:bob', 'viewer', 'doc:1'));
    expect(silent).toMatchObject({ outcome: 'error', error: { code: 'condition.missing_parameter' } });
    expect(silent.missing[0]?.found).toBe('condition_error');
  });
});

describe('[15.38] a condition with `matches`', () => {
  const matching = (expression: string): string => `
model
  schema 1.1
type user
type doc
  relations
    define viewer: [user with named]
condition named(name: string) {
  ${expression}
}
`;
  const asked = tuple('user:ana', 'viewer', 'doc:1');
  const allows = async (expression: string, name: string): Promise<boolean> => {
    const given = { ...asked, condition: { name: 'named' } };
    const engine = await openAccessEngine({ model: matching(expression), tuples: [given] });
    return engine.check(asked, { context: { name } });
  };
  const backtracking = 'name.matches("^([a-z0-9]+-?)+$")';

  it('is evaluated in bounded time, unlike with the built-in matcher', async () => {
    expect(await allows(backtracking, 'a-b-c')).toBe(true);
    expect(await allows(backtracking, `${'a'.repeat(5000)}!`)).toBe(false);
  });

  it('ignores text that only looks like a call', async () => {
    expect(await allows(`name == ".matches(" || name . matches ( '^x$' )`, '.matches(')).toBe(true);
    expect(await allows(`name == r"\\.matches(" || name.matches(r'^\\d$')`, '5')).toBe(true);
  });

  it('allows nothing if there is no answer', async () => {
    await expect(allows('name.matches("(")', 'a')).rejects.toMatchObject({ code: 'condition.failed' });
    const costly = `name.matches("^(a*)(a*)(a*)\\\\1\\\\2\\\\3x")`;
    await expect(allows(costly, 'a'.repeat(3000))).rejects.toMatchObject({ code: 'condition.failed' });
  });
});
