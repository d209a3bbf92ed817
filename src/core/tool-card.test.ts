import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decodeArguments } from '../lib/decode-arguments.js';
import { clientAdditions } from './call.js';
import { cardOf } from './tool-card.js';
import type { ToolModule } from '../ports/tool-module.js';

function tool(more: Partial<ToolModule> = {}): ToolModule {
  return {
    name: 'example',
    title: 'Example',
    description: 'An example.',
    effect: 'read',
    input: z.object({ path: z.string().describe('A path.') }),
    run: () => '',
    ...more,
  };
}

describe('the card of a tool', () => {
  it('contains everything except the code, as data', () => {
    const card = cardOf(tool({ output: z.object({ lines: z.int().describe('How many.') }) }));
    expect(JSON.parse(JSON.stringify(card))).toEqual(card);
    expect(card).toMatchObject({
      hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      needs: [],
      tier: 1,
      inputSchema: {
        type: 'object',
        properties: { path: { type: 'string', description: 'A path.' } },
        required: ['path'],
        additionalProperties: false,
      },
    });
  });

  it('allows the error envelope in addition to the result', () => {
    const { outputSchema } = cardOf(tool({ output: z.object({ lines: z.int().describe('How many.') }) }));
    expect(outputSchema).toMatchObject({
      type: 'object',
      properties: { lines: { type: 'integer' }, error: { required: ['code', 'message', 'retryable'] } },
      anyOf: [{ required: ['lines'] }, { required: ['error'] }],
    });
    expect(outputSchema).not.toHaveProperty('additionalProperties');
    expect(outputSchema).not.toHaveProperty('required');
  });

  it('derives the tier from its needs, unless the author sets it', () => {
    expect(cardOf(tool({ needs: ['files', 'shell'] })).tier).toBe(3);
    expect(cardOf(tool({ needs: ['files', 'shell'], tier: 1 })).tier).toBe(1);
  });

  it('has an input schema even if the tool takes no arguments', () => {
    expect(cardOf(tool({ input: z.object({}) })).inputSchema).toMatchObject({
      type: 'object',
      properties: {},
      additionalProperties: false,
    });
  });

  it('[16.28] accepts fields that may be null', () => {
    const input = z.object({
      label_track: z.string().nullable().optional().describe('A track.'),
      label: z.string().nullable().describe('A label.'),
    });
    const card = cardOf(tool({ input }));
    expect(decodeArguments({ label: null, label_track: null }, card, clientAdditions)).toEqual({
      input: { label: null },
      unknown: [],
    });
  });

  it.each<[string, Partial<ToolModule>, RegExp]>([
    ['a name with spaces', { name: 'no good' }, /names consist of letters/],
    ['no title', { title: ' ' }, /title is missing/],
    ['no description', { description: '' }, /description is missing/],
    ['a field without a description', { input: z.object({ a: z.string() }) }, /input\.a has no description/],
    [
      'a nested field without a description',
      { input: z.object({ a: z.array(z.object({ b: z.int() })).describe('x') }) },
      /input\.a\.b has no description/,
    ],
    ['arguments that are not an object', { input: z.array(z.string()) }, /input schema must be an object/],
    [
      'arguments that are one of several objects',
      { input: z.union([z.object({ a: z.string().describe('x') }), z.object({})]) },
      /input schema must be an object/,
    ],
    ['an alias for an unknown argument', { aliases: { nothing: ['x'] } }, /unknown argument nothing/],
    ['a result that is not an object', { output: z.string() }, /output schema must be an object/],
    ['a result field without a description', { output: z.object({ a: z.string() }) }, /output\.a/],
  ])('is refused for %s', (_name, more, words) => {
    expect(() => cardOf(tool(more))).toThrow(words);
  });
});
