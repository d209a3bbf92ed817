import { readFileSync } from 'node:fs';
import openfga from '@openfga/syntax-transformer';
import { describe, expect, it } from 'vitest';
import { compileModel, openAccessEngine } from './engine/index.js';
import { shippedModel } from './model.generated.js';

const text = readFileSync(new URL('model.fga', import.meta.url), 'utf8');
const alice = 'principal:agent/alice';
const read = 'tool:builtin/Read';
const until = '2026-06-01T00:00:00Z';

/** Tuples as `user relation object`. */
async function engine(...tuples: readonly string[]) {
  const parsed = tuples.map((line) => {
    const [user = '', relation = '', object = '', condition] = line.split(' ');
    return {
      user,
      relation,
      object,
      ...(condition && { condition: { name: condition, context: { until } } }),
    };
  });
  const opened = await openAccessEngine({ model: shippedModel, tuples: [] });
  await opened.write(parsed);
  return opened;
}

async function rights(
  object: string,
  tuples: readonly string[],
  now = '2026-01-01T00:00:00Z',
): Promise<string> {
  const opened = await engine(
    'provider:builtin provider tool:builtin/Read',
    'group:tier/1 group tool:builtin/Read',
    'group:glob/* group tool:builtin/Read',
    'group:glob/* group provider:builtin',
    ...tuples,
  );
  const ask = (relation: string) => opened.check({ user: alice, relation, object }, { context: { now } });
  return `${(await ask('see')) ? 'see' : '-'} ${(await ask('call')) ? 'call' : '-'}`;
}

describe('the shipped model', () => {
  it('is accepted by OpenFGA, and is unchanged after a round trip through its JSON form', () => {
    expect(() => openfga.validator.validateDSL(text)).not.toThrow();
    const json = openfga.transformer.transformDSLToJSONObject(text);
    expect(() => openfga.validator.validateDSL(openfga.transformer.transformJSONToDSL(json))).not.toThrow();
    expect(JSON.stringify(json).length).toBeLessThan(256 * 1024);
  });

  it('equals the generated file', async () => {
    expect(await compileModel(text)).toEqual(shippedModel);
  });

  it('does not let everybody call tools', async () => {
    await expect(engine(`principal:* caller ${read}`)).rejects.toMatchObject({
      code: 'tuple.type_not_allowed',
    });
    await expect(engine('principal:* seer provider:builtin')).rejects.toMatchObject({
      code: 'tuple.type_not_allowed',
    });
    const callers = shippedModel.types.flatMap(({ relations }) =>
      relations.filter(({ name }) => name === 'caller'),
    );
    expect(callers).toHaveLength(3);
    expect(callers.flatMap(({ direct }) => direct.filter(({ wildcard }) => wildcard === true))).toEqual([]);
  });
});

describe('of a tool', () => {
  const assigned = [`${alice} assignee profile:p`];
  it.each<readonly [string, readonly string[], string]>([
    ['nothing', [], '- -'],
    ['a grant to call', [`${alice} caller ${read}`], 'see call'],
    ['a grant to see', [`${alice} seer ${read}`], 'see -'],
    ['everybody may see it', [`principal:* seer ${read}`], 'see -'],
    ['a grant on its provider', [`${alice} caller provider:builtin`], 'see call'],
    ['a grant to see its provider', [`${alice} seer provider:builtin`], 'see -'],
    ['a grant on a group', [`${alice} caller group:tier/1`], 'see call'],
    ['a grant to see a group', [`${alice} seer group:glob/*`], 'see -'],
    ['a grant on another group', [`${alice} caller group:tier/2`], '- -'],
    ['a profile', [...assigned, `profile:p#assignee caller ${read}`], 'see call'],
    ['a profile with everything', [...assigned, 'profile:p#assignee caller group:glob/*'], 'see call'],
    [
      'a profile of another principal',
      ['principal:agent/bob assignee profile:p', `profile:p#assignee caller ${read}`],
      '- -',
    ],
    [
      'a profile assigned to a role',
      [`${alice} member role:r`, 'role:r#member assignee profile:p', `profile:p#assignee caller ${read}`],
      'see call',
    ],
    [
      'a role in a role',
      [`${alice} member role:a`, 'role:a#member member role:b', `role:b#member caller ${read}`],
      'see call',
    ],
    ['a block beside a grant', [`${alice} caller ${read}`, `${alice} blocked ${read}`], '- -'],
    ['a block on the provider', [`${alice} caller ${read}`, `${alice} blocked provider:builtin`], '- -'],
    ['a block on a group', [`${alice} caller ${read}`, `${alice} blocked group:tier/1`], '- -'],
    [
      'a block in the profile',
      [...assigned, `${alice} caller ${read}`, `profile:p#assignee blocked ${read}`],
      '- -',
    ],
    [
      'a block for a role',
      [`${alice} member role:r`, `${alice} caller ${read}`, `role:r#member blocked ${read}`],
      '- -',
    ],
    ['a block on everything', [`${alice} caller ${read}`, `${alice} blocked group:glob/*`], '- -'],
    [
      'a block for another principal',
      [`${alice} caller ${read}`, `principal:agent/bob blocked ${read}`],
      'see call',
    ],
    ['being admin of the zone', [`${alice} admin zone:local`], '- -'],
    [
      'the rights of a parent',
      [`${alice} parent principal:agent/bob`, `principal:agent/bob caller ${read}`],
      '- -',
    ],
  ])('%s', async (_, tuples, expected) => {
    expect(await rights(read, tuples)).toBe(expected);
  });

  it.each([
    [`${alice} caller ${read} not_expired`, 'see call'],
    [`${alice} seer ${read} not_expired`, 'see -'],
    [`${alice} caller group:tier/1 not_expired`, 'see call'],
    [`${alice} caller provider:builtin not_expired`, 'see call'],
    [`profile:p#assignee caller ${read} not_expired`, 'see call'],
  ])('%s ends when it expires', async (tuple, before) => {
    const tuples = [tuple, `${alice} assignee profile:p`];
    expect(await rights(read, tuples, '2026-05-31T23:59:59.999Z')).toBe(before);
    expect(await rights(read, tuples, until)).toBe('- -');
  });
});

describe('of a provider, which also apply to its prompts and resources', () => {
  const provider = 'provider:builtin';
  it.each<readonly [string, readonly string[], string]>([
    ['nothing', [], '- -'],
    ['a grant on one of its tools', [`${alice} caller ${read}`], '- -'],
    ['a grant on the provider', [`${alice} caller ${provider}`], 'see call'],
    ['a grant to see the provider', [`${alice} seer ${provider}`], 'see -'],
    ['everything', [`${alice} caller group:glob/*`], 'see call'],
    ['everything except this one', [`${alice} caller group:glob/*`, `${alice} blocked ${provider}`], '- -'],
    ['a block on everything', [`${alice} caller ${provider}`, `${alice} blocked group:glob/*`], '- -'],
  ])('%s', async (_, tuples, expected) => {
    expect(await rights(provider, tuples)).toBe(expected);
  });
});

describe('of a zone', () => {
  it('an admin is a member', async () => {
    const opened = await engine(`${alice} admin zone:local`);
    expect(await opened.check({ user: alice, relation: 'member', object: 'zone:local' })).toBe(true);
    expect(await opened.check({ user: alice, relation: 'admin', object: 'zone:other' })).toBe(false);
  });
});
