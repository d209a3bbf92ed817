import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { builtinOperations } from '../../src/workflow/grammar/builtin-operations.js';

interface Card {
  readonly reach: string;
  readonly inputSchema: {
    readonly properties: Readonly<Record<string, unknown>>;
    readonly required: readonly string[];
  };
}

const cardOf = (tool: string): Card =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`tools/${tool}.json`, import.meta.url)), 'utf8')) as Card;

it.each(Object.values(builtinOperations).flatMap((operations) => Object.values(operations)))(
  'the inputs of a built-in operation are those of its tool, which only workflows can call: $tool',
  ({ tool, inputs, endpoint }) => {
    const { reach, inputSchema } = cardOf(tool);
    const { fixed_host: added, ...properties } = inputSchema.properties;
    expect(added).toBeDefined();
    expect(reach).toBe('workflow');
    expect(inputs.map(({ name }) => name).sort()).toEqual(Object.keys(properties).sort());
    const needed = inputs.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    expect([...needed, 'fixed_host'].sort()).toEqual([...inputSchema.required].sort());
    expect(Object.keys(properties)).toContain(endpoint);
  },
);
