import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  operationService,
  pluginService,
  stepTypeService,
  validatorService,
} from '../plugin-protocol/index.js';
import { answersOf, WrongArguments } from './answers.js';
import { defineOperation, definePlugin, type Plugin } from './define-plugin.js';

const greet = definePlugin({
  name: 'greet',
  version: '1.0.0',
  operations: {
    hello: defineOperation({
      description: 'Says hello.',
      input: z.object({
        name: z.string().describe('Whom.'),
        times: z.int().default(1).describe('How often.'),
        mail: z.email().optional().describe('Where to.'),
        tags: z.array(z.string()).default([]).describe('Words.'),
        tone: z.enum(['warm', 'cool']).optional().describe('How.'),
        either: z.union([z.number(), z.string()]).optional().describe('One of two.'),
      }),
      output: z.object({ greeting: z.string().describe('The words.') }),
      run: ({ name, times }, { config }) => {
        if (name === '') throw new Error('nobody to greet');
        return {
          data: {
            greeting: `Hello, ${name}! `.repeat(times).trim() + (config['mark'] === undefined ? '' : '?'),
          },
        };
      },
    }),
    plain: defineOperation({ description: 'Gives text.', input: z.object({}), run: () => 'text' }),
  },
});

const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const ask = (plugin: Plugin, path: string, asked: unknown): Promise<unknown> => {
  const found = answersOf(plugin).find(({ method }) => method.path === path);
  if (found === undefined) throw new Error(path);
  return found.give(asked, new AbortController().signal);
};
const execute = (
  plugin: Plugin,
  operation: string,
  inputs: Readonly<Record<string, unknown>>,
): Promise<unknown> =>
  ask(plugin, operationService.execute.path, {
    operation,
    inputs: new Map(Object.entries(inputs).map(([key, value]) => [key, bytes(value)])),
  });

describe('a plugin', () => {
  it('describes its operations: names, types, and defaults as text', async () => {
    const { operations } = (await ask(greet, operationService.listOperations.path, {})) as {
      readonly operations: readonly { readonly inputs: readonly Readonly<Record<string, unknown>>[] }[];
    };
    expect(
      operations[0]?.inputs.map(({ name, type, required, default: value, validation }) => [
        name,
        type,
        required,
        value,
        validation,
      ]),
    ).toEqual([
      ['name', 'string', true, '', ''],
      ['times', 'integer', false, '1', ''],
      ['mail', 'string', false, '', 'email'],
      ['tags', 'array', false, '[]', ''],
      ['tone', 'string', false, '', ''],
      ['either', 'number', false, '', ''],
    ]);
  });

  it('parses arguments with the schema, and returns data', async () => {
    expect(await execute(greet, 'hello', { name: 'Ada', times: 2 })).toEqual({
      success: true,
      output: '',
      data: new Map([['greeting', new TextEncoder().encode('"Hello, Ada! Hello, Ada!"')]]),
    });
    expect(await execute(greet, 'plain', {})).toEqual({ success: true, output: 'text' });
  });

  it('returns a failed operation as a result, not as a call error', async () => {
    expect(await execute(greet, 'hello', { name: '' })).toEqual({ success: false, error: 'nobody to greet' });
    expect(await execute(greet, 'nope', {})).toEqual({ success: false, error: 'unknown operation: nope' });
  });

  it('distinguishes invalid arguments from a failure', async () => {
    await expect(execute(greet, 'hello', { name: 7 })).rejects.toThrow(WrongArguments);
    await expect(execute(greet, 'hello', { name: 7 })).rejects.toThrow(/name/);
  });

  it('answers like other plugins if it lacks a feature', async () => {
    const bare = definePlugin({ name: 'bare', version: '1.0.0' });
    expect(await execute(bare, 'x', {})).toEqual({
      success: false,
      error: 'plugin does not implement operations',
    });
    expect(await ask(bare, stepTypeService.listStepTypes.path, {})).toEqual({ step_types: [] });
    await expect(
      ask(bare, stepTypeService.executeStep.path, { step_type: 'x', config: bytes({}), inputs: bytes({}) }),
    ).rejects.toThrow('plugin does not implement step types');
    expect(await ask(bare, validatorService.validateWorkflow.path, { workflow_json: bytes({}) })).toEqual({
      issues: [],
    });
  });

  it('gets its settings, and reports why it cannot start', async () => {
    const answers = answersOf(greet);
    const give = (path: string, asked: unknown): Promise<unknown> =>
      answers.find(({ method }) => method.path === path)?.give(asked, new AbortController().signal) ??
      Promise.reject(new Error());
    await give(pluginService.init.path, { config: new Map([['mark', bytes('?')]]) });
    const inputs = new Map([['name', bytes('Ada')]]);
    expect(await give(operationService.execute.path, { operation: 'hello', inputs })).toMatchObject({
      data: new Map([['greeting', new TextEncoder().encode('"Hello, Ada!?"')]]),
    });
    const picky = definePlugin({
      name: 'picky',
      version: '1.0.0',
      init: () => {
        throw new Error('no token');
      },
    });
    await expect(ask(picky, pluginService.init.path, { config: new Map() })).rejects.toThrow(
      'plugin init failed: no token',
    );
  });
});

it('an operation whose name is not a valid tool name is refused when it is defined', () => {
  expect(() =>
    definePlugin({ name: 'x', version: '1.0.0', stepTypes: { 'a b': { description: '', run: () => ({}) } } }),
  ).toThrow('"a b"');
});
