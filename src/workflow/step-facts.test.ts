import { describe, expect, it } from 'vitest';
import type { Field, Fields } from './fields/field.js';
import { optionFields } from './fields/option-fields.js';
import { commonFields, inputFields, type StepKind, stepFields, workflowFields } from './fields/tables.js';
import type { Step, Workflow } from './grammar/workflow.js';
import type { Library } from './library.js';
import { planLines } from './plan.js';
import { harmlessKeys, stepFacts } from './step-facts.js';

// The trust screen and --dry-run show these facts. Keys come from the grammar tables, so a new key must be
// either shown or listed as harmless.

type Values = Readonly<Record<string, unknown>>;

/** Other keys of the step, so that the tested key has an effect. */
const usual: Readonly<Partial<Record<StepKind, Values>>> = {
  agent: { provider: 'claude', mcp_proxy: { enable: true }, tidegate: { tools: ['Read'] } },
};

const stepOf = (kind: StepKind, own: Values, common: Values = {}): Step =>
  ({ kind, name: 'a', type: kind, own, common, path: ['states', 'a'] }) as unknown as Step;

function samples(field: Field): readonly unknown[] {
  switch (field.kind) {
    case 'text':
      return ['a-marker'];
    case 'choice':
      return field.choices;
    case 'boolean':
      return [true, false];
    case 'list':
      return samples(field.of).map((one) => [one]);
    case 'map':
      return samples(field.of).map((one) => ({ key: one }));
    case 'either':
      return [...samples(field.first), ...samples(field.second)];
    case 'record':
      return [Object.fromEntries(Object.entries(field.fields).map(([key, of]) => [key, samples(of)[0]]))];
    case 'any':
      return ['a-marker'];
    default:
      return [7];
  }
}

/** Every key, and every key of a block: `tidegate.allow_native`. */
function leaves(fields: Fields): readonly { readonly way: readonly string[]; readonly field: Field }[] {
  return Object.entries(fields).flatMap(([key, field]) =>
    field.kind === 'record'
      ? leaves(field.fields).map(({ way, field: of }) => ({ way: [key, ...way], field: of }))
      : [{ way: [key], field }],
  );
}

function withValue(values: Values, [key = '', ...way]: readonly string[], value: unknown): Values {
  const before = (values[key] ?? {}) as Values;
  return { ...values, [key]: way.length === 0 ? value : withValue(before, way, value) };
}

function isShown(
  facts: (given: Values) => readonly string[],
  base: Values,
  way: readonly string[],
  field: Field,
): boolean {
  const without = facts(base).join('\n');
  return samples(field).some((value) => facts(withValue(base, way, value)).join('\n') !== without);
}

const kinds = Object.keys(stepFields) as StepKind[];

describe('the plan shown before a workflow is trusted', () => {
  it.each(kinds)('[15.30] shows every key of a %s step, or lists it as harmless', (kind) => {
    const hidden = leaves(stepFields[kind])
      .filter(({ way: [head = ''] }) => !harmlessKeys[kind].includes(head))
      .filter(
        ({ way, field }) => !isShown((own) => stepFacts(stepOf(kind, own)), usual[kind] ?? {}, way, field),
      )
      .map(({ way }) => way.join('.'));
    expect(hidden).toEqual([]);
  });

  it('[15.30] shows every common key, or lists it as harmless', () => {
    const hidden = Object.entries(commonFields)
      .filter(([key]) => !harmlessKeys.common.includes(key))
      .filter(
        ([key, field]) => !isShown((common) => stepFacts(stepOf('command', {}, common)), {}, [key], field),
      )
      .map(([key]) => key);
    expect(hidden).toEqual([]);
    for (const hook of ['pre', 'post'])
      expect(
        stepFacts(stepOf('command', {}, { hooks: { [hook]: [{ command: 'a-marker' }] } })).join(),
      ).toContain('a-marker');
  });

  it.each(Object.entries(optionFields))('[15.30] shows every option of %s', (provider, fields) => {
    const facts = (options: Values): readonly string[] =>
      stepFacts(stepOf('agent', { ...usual.agent, provider, options }));
    const hidden = Object.entries<Field>(fields).filter(([key, field]) => !isShown(facts, {}, [key], field));
    expect(hidden.map(([key]) => key)).toEqual([]);
    // Unknown options are shown too.
    expect(facts({ later: 'a-marker' }).join()).toContain('options.later: a-marker');
  });

  it('[15.30] lists no unknown key as harmless', () => {
    for (const kind of kinds)
      expect(Object.keys(stepFields[kind])).toEqual(expect.arrayContaining([...harmlessKeys[kind]]));
    expect(Object.keys(commonFields)).toEqual(expect.arrayContaining([...harmlessKeys.common]));
  });

  it('[15.30] shows every key of the workflow and its inputs that has an effect', () => {
    const base = {
      name: 'w',
      inputs: [{ name: 'x', at: 0 }],
      hooks: {},
      plugins: {},
      outputs: [],
      texts: [],
      steps: new Map(),
    };
    const plan = (more: object): string =>
      planLines({ source: { file: 'w.yaml' }, ...base, ...more } as unknown as Workflow, {}, {
        isUnsandboxed: () => false,
      } as unknown as Library).join('\n');
    const shown: Readonly<Record<string, unknown>> = {
      name: 'a-marker',
      description: 'a-marker',
      inputs: [{ name: 'a-marker', at: 0 }],
      states: undefined,
      hooks: { workflow_cancel: [{ command: 'a-marker' }] },
      plugins: { short: 'a-marker' },
      outputs: [{ name: 'x', from: 'a-marker' }],
    };
    const harmless = ['version', 'author', 'tags', 'env'];
    expect([...Object.keys(shown), ...harmless].toSorted()).toEqual(Object.keys(workflowFields).toSorted());
    for (const [key, value] of Object.entries(shown))
      if (value !== undefined) expect(plan({ [key]: value }), key).toContain('a-marker');
    expect(plan({ inputs: [{ name: 'x', at: 0, default: '; rm' }] })).toContain('x = "; rm" (default)');
    expect(Object.keys(inputFields)).toEqual([
      'name',
      'description',
      'type',
      'required',
      'default',
      'validation',
    ]);
  });
});
