import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openAccessEngine } from './engine/index.js';
import { extendModel } from './extend-model.js';
import { shippedModel } from './model.generated.js';
import { ModelRefused } from './model-text.js';

const shipped = readFileSync(new URL('model.fga', import.meta.url), 'utf8');
const team = 'type team\n  relations\n    define member: [principal, role#member]\n';

async function problemsOf(text: string): Promise<readonly string[]> {
  try {
    await extendModel(shippedModel, text);
    return [];
  } catch (error) {
    if (!(error instanceof ModelRefused)) throw error;
    expect(error.message).not.toBe('');
    return error.problems.map(
      ({ code, at, line, column }) => `${code} ${at} ${String(line)}:${String(column)}`,
    );
  }
}

/** The built-in model with another definition of one relation. */
function changed(type: string, relation: string, line: string): string {
  const at = shipped.indexOf(`define ${relation}:`, shipped.indexOf(`\ntype ${type}\n`));
  const end = shipped.indexOf('\n', at);
  return shipped.slice(0, at) + line + shipped.slice(end);
}

describe('the model of a workspace', () => {
  it.each([
    ['the built-in one', shipped],
    ['nothing but a comment', '# nothing\n'],
    ['types with the two header lines', `model\n  schema 1.1\n${team}`],
    ['types without them', team],
    ['types without a line end', team.trimEnd()],
    ['a condition', 'condition office(ip: ipaddress) {\n  ip.in_cidr("10.0.0.0/8")\n}\n'],
  ])('may be %s', async (_, text) => {
    expect(await problemsOf(text)).toEqual([]);
  });

  it('adds types and leaves the built-in ones unchanged', async () => {
    const model = await extendModel(shippedModel, team);
    expect(model.types.map(({ name }) => name)).toEqual([
      ...shippedModel.types.map(({ name }) => name),
      'team',
    ]);
    expect(model.types.slice(0, -1)).toEqual(shippedModel.types);
  });

  it('may widen who can be granted a tool', async () => {
    const widened = changed('tool', 'caller', 'define caller: [principal, team#member]');
    const text = widened.replace('condition not_expired', `${team}\ncondition not_expired`);
    const model = await extendModel(shippedModel, text);
    const tuples = [
      { user: 'principal:agent/alice', relation: 'member', object: 'team:eng' },
      { user: 'team:eng#member', relation: 'caller', object: 'tool:builtin/Bash' },
    ];
    const question = { user: 'principal:agent/alice', relation: 'call', object: 'tool:builtin/Bash' };
    expect(await (await openAccessEngine({ model, tuples })).check(question)).toBe(true);
    // The control: the built-in model ignores such a tuple.
    expect(await (await openAccessEngine({ model: shippedModel, tuples })).check(question)).toBe(false);
  });

  it('may narrow who can call a tool', async () => {
    const text = changed('tool', 'call', 'define call: caller but not blocked');
    const model = await extendModel(shippedModel, text);
    const tuples = [
      { user: 'provider:builtin', relation: 'provider', object: 'tool:builtin/Bash' },
      { user: 'principal:agent/alice', relation: 'caller', object: 'provider:builtin' },
    ];
    const question = { user: 'principal:agent/alice', relation: 'call', object: 'tool:builtin/Bash' };
    expect(await (await openAccessEngine({ model, tuples })).check(question)).toBe(false);
    expect(await (await openAccessEngine({ model: shippedModel, tuples })).check(question)).toBe(true);
  });
});

describe('a model is refused, with code and position,', () => {
  const lineOf = (words: string, text = shipped) => text.slice(0, text.indexOf(words)).split('\n').length;
  it.each<readonly [string, string, readonly string[]]>([
    ['that is not a model', 'hello\n', ['model.syntax model 1:1']],
    [
      'with a syntax error',
      `model\n  schema 1.1\ntype a\n  relations\n  defin b: [a]\n`,
      ['model.syntax model 5:3'],
    ],
    [
      'with a syntax error and no header',
      `type a\n  relations\n  defin b: [a]\n`,
      ['model.syntax model 3:3'],
    ],
    ['of another version', 'model\n  schema 1.0\ntype a\n', ['model.schema_version model 1:1']],
    [
      'with tools that cannot be seen',
      'type tool\n  relations\n    define call: [principal]\n',
      [
        'model.missing_relation tool#provider 1:1',
        'model.missing_relation tool#group 1:1',
        'model.missing_relation tool#seer 1:1',
        'model.missing_relation tool#caller 1:1',
        'model.missing_relation tool#blocked 1:1',
        'model.missing_relation tool#barred 1:1',
        'model.missing_relation tool#see 1:1',
      ],
    ],
    [
      'without principals that can have a parent',
      'type principal\n',
      ['model.missing_relation principal#parent 1:1'],
    ],
    [
      'without blocks',
      changed('tool', 'blocked', 'define blocked: [principal]'),
      [
        `model.narrowed tool#blocked ${String(lineOf('define blocked', shipped.slice(shipped.indexOf('type tool'))) + lineOf('type tool') - 1)}:5`,
      ],
    ],
    [
      'whose grants never expire',
      shipped.replace('now < until', 'now < until || true'),
      [`model.changed not_expired ${String(lineOf('condition not_expired'))}:1`],
    ],
    ['with an undefined type', `${team}    define lead: [ghost]\n`, ['model.undefined_type team#lead 4:5']],
    ['with a duplicate type', `${team}${team}`, ['model.duplicate_type team 1:1']],
    ['with an invalid condition', 'condition c(x: int) {\n  x +\n}\n', ['model.condition c 1:1']],
    [
      'with too many brackets',
      `type a\n  relations\n    define b: ${'('.repeat(500)}c${')'.repeat(500)}\n`,
      ['model.too_large model 3:1'],
    ],
    [
      'with brackets over many lines',
      `type a\n  relations\n    define b: ${'(\n'.repeat(500)}`,
      ['model.too_large model 9:1'],
    ],
    ['that is too long', `# ${'x'.repeat(70_000)}\n`, ['model.too_large model 1:1']],
  ])('%s', async (_, text, expected) => {
    expect(await problemsOf(text)).toEqual(expected);
  });
});
