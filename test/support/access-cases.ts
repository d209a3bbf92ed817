// Single cases that random worlds do not come to: depth, values of conditions, what a question brings along.
import type { OpenSuiteEngine } from './openfga-suite.js';
import type { SuiteTuple } from './test-data.js';

type OpenParts = Parameters<OpenSuiteEngine>[0];

interface Case {
  readonly name: string;
  readonly model: object;
  readonly tuples?: readonly SuiteTuple[];
  readonly ask: SuiteTuple;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly contextualTuples?: readonly SuiteTuple[];
  /** The answer, or the code of the error. */
  readonly expected: boolean | string;
}

const groups = modelOf({ member: ['user', 'user:*', 'group#member'] });
const guarded = modelOf({ member: ['user with small', 'group#member with small'] }, 'int');
const loose = modelOf({ member: ['user with small'] }, 'any');
const jon = 'user:jon';

/** group:0 holds group:1, which holds group:2, and so on; the last holds jon. */
function chain(length: number, prefix = ''): readonly SuiteTuple[] {
  const links = Array.from({ length }, (_, index) =>
    tuple(`group:${prefix}${index + 1}#member`, `group:${prefix}${index}`),
  );
  return [...links, tuple(jon, `group:${prefix}${length}`)];
}

const small = (value?: unknown): SuiteTuple['condition'] =>
  value === undefined ? { name: 'small' } : { name: 'small', context: { x: value } };

const cases: readonly Case[] = [
  { name: '24 steps', model: groups, tuples: chain(24), ask: tuple(jon, 'group:0'), expected: true },
  {
    name: '25 steps',
    model: groups,
    tuples: chain(25),
    ask: tuple(jon, 'group:0'),
    expected: 'check.too_deep',
  },
  {
    name: 'a long way first, then a short one to the same place',
    model: groups,
    tuples: [
      ...chain(26),
      // A second way to group:20, from the top, that is found after the long one.
      tuple('group:20#member', 'group:0'),
    ],
    ask: tuple(jon, 'group:0'),
    expected: true,
  },
  { name: 'no context', ...conditional(small()), expected: 'condition.missing_parameter' },
  {
    name: 'no context for any',
    ...conditional(small()),
    model: loose,
    expected: 'condition.missing_parameter',
  },
  {
    name: 'context of a wrong type',
    ...conditional(small()),
    context: { x: 'many' },
    expected: 'condition.parameter_type',
  },
  { name: 'a condition that holds', ...conditional(small()), context: { x: 1 }, expected: true },
  { name: 'a condition that does not', ...conditional(small()), context: { x: 100 }, expected: false },
  {
    name: 'the tuple wins over the question',
    ...conditional(small(100)),
    context: { x: 1 },
    expected: false,
  },
  { name: 'the tuple speaks for itself', ...conditional(small(1)), expected: true },
  { name: 'a condition that the model does not name there', ...conditional(undefined), expected: false },
  {
    name: 'a userset whose condition cannot be decided',
    model: guarded,
    tuples: [{ ...tuple('group:2#member', 'group:1'), condition: { name: 'small' } }],
    ask: tuple(jon, 'group:1'),
    expected: 'condition.missing_parameter',
  },
  {
    name: 'a tuple brought along',
    model: groups,
    ask: tuple(jon, 'group:1'),
    contextualTuples: [tuple('group:2#member', 'group:1'), tuple(jon, 'group:2')],
    expected: true,
  },
  {
    name: 'a tuple brought along wins over a stored one',
    ...conditional(small(1)),
    contextualTuples: [{ ...tuple(jon, 'group:1'), condition: { name: 'small', context: { x: 100 } } }],
    expected: false,
  },
  {
    name: 'a tuple brought along that the model does not allow',
    model: groups,
    ask: tuple(jon, 'group:1'),
    contextualTuples: [tuple('group:2', 'group:1')],
    expected: 'tuple.type_not_allowed',
  },
  { name: 'an unknown user type', model: groups, ask: tuple('robot:1', 'group:1'), expected: 'request.user' },
  {
    name: 'an unknown relation',
    model: groups,
    ask: { ...tuple(jon, 'group:1'), relation: 'owner' },
    expected: 'request.relation',
  },
];

/** both = x and y, x = [g#y] or z, y = [g#x]: y is first met inside x, before x is known to hold. */
const tangled: OpenParts = {
  model: tangledModel(),
  tuples: [
    { user: 'group:1#y', relation: 'x', object: 'group:1' },
    { user: 'group:1#x', relation: 'y', object: 'group:1' },
    { user: jon, relation: 'z', object: 'group:1' },
  ],
};

/** The names of the cases that did not come out as they should. */
export async function failingCases(open: OpenSuiteEngine): Promise<readonly string[]> {
  const failing: string[] = [];
  for (const { name, model, tuples = [], ask, context, contextualTuples = [], expected } of cases) {
    const engine = await open({ model, tuples });
    const answer = await engine.check(ask, { context, contextualTuples }).catch(codeOf);
    if (answer !== expected) failing.push(`${name}: ${String(answer)} instead of ${String(expected)}`);
  }
  const engine = await open(tangled);
  const users = await engine.listUsers({ object: 'group:1', relation: 'both', filters: ['user'] }, {});
  const objects = await engine.listObjects({ user: jon, relation: 'both', type: 'group' }, {});
  const check = await engine.check({ user: jon, relation: 'both', object: 'group:1' }, {});
  if (users.join() !== jon) failing.push(`a tangle of loops, users: ${users.join()}`);
  if (objects.join() !== 'group:1') failing.push(`a tangle of loops, objects: ${objects.join()}`);
  if (!check) failing.push('a tangle of loops: denied');
  return failing;
}

function tangledModel(): object {
  const computed = (relation: string): object => ({ computed_userset: { relation } });
  const allowed = (type: string, relation?: string): object => ({
    directly_related_user_types: [{ type, relation }],
  });
  return {
    schema_version: '1.1',
    type_definitions: [
      { type: 'user' },
      {
        type: 'group',
        relations: {
          x: { union: { child: [{ this: {} }, computed('z')] } },
          y: { this: {} },
          z: { this: {} },
          both: { intersection: { child: [computed('x'), computed('y')] } },
        },
        metadata: { relations: { x: allowed('group', 'y'), y: allowed('group', 'x'), z: allowed('user') } },
      },
    ],
  };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : error;
}

function conditional(condition: SuiteTuple['condition']): Pick<Case, 'model' | 'tuples' | 'ask'> {
  const stored = tuple(jon, 'group:1');
  return {
    model: guarded,
    tuples: [condition === undefined ? stored : { ...stored, condition }],
    ask: tuple(jon, 'group:1'),
  };
}

function tuple(user: string, object: string): SuiteTuple {
  return { user, relation: 'member', object };
}

/** A model with the types user and group, and perhaps the condition `small`: x is below ten. */
function modelOf(relations: Readonly<Record<string, readonly string[]>>, type?: 'int' | 'any'): object {
  const restriction = (text: string): object => {
    const [who = '', condition] = text.split(' with ');
    const [object = '', relation] = who.replace(':*', '').split('#');
    return { type: object, relation, condition, ...(who.endsWith(':*') ? { wildcard: {} } : {}) };
  };
  const entries = Object.entries(relations);
  return {
    schema_version: '1.1',
    type_definitions: [
      { type: 'user' },
      {
        type: 'group',
        relations: Object.fromEntries(entries.map(([name]) => [name, { this: {} }])),
        metadata: {
          relations: Object.fromEntries(
            entries.map(([name, allowed]) => [
              name,
              { directly_related_user_types: allowed.map(restriction) },
            ]),
          ),
        },
      },
    ],
    conditions: type && {
      small: {
        name: 'small',
        expression: type === 'int' ? 'x < 10' : 'x == 1',
        parameters: { x: { type_name: `TYPE_NAME_${type.toUpperCase()}` } },
      },
    },
  };
}
