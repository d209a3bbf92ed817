import { z } from 'zod';
import { defineTool } from '../../tool/index.js';

const input = z.object({
  name: z.string().describe('Input name.'),
  description: z.string().optional().describe('What it is for.'),
  type: z.string().optional().describe('Type of the value.'),
  required: z.boolean().describe('Whether it must be passed.'),
});

export default defineTool({
  name: 'list_workflows',
  title: 'List workflows',
  description: 'Lists the workflows that execute_workflow can run, with their inputs.',
  effect: 'read',
  hints: { openWorld: false },
  needs: ['runner'],
  input: z.object({}),
  output: z.object({
    workflows: z
      .array(
        z.object({
          name: z.string().describe('Name for execute_workflow.'),
          description: z.string().optional().describe('What the workflow is for.'),
          inputs: z.array(input).describe('Its inputs.'),
        }),
      )
      .describe('The workflows, sorted by name.'),
  }),
  async run(_input, { ports }) {
    const workflows = await ports.runner.list();
    const lines = workflows.map(({ name, description, inputs }) => {
      const given = inputs.map((one) => `${one.name}${one.required ? ' (required)' : ''}`).join(', ');
      return `${name}${description === undefined ? '' : `: ${description}`}${given === '' ? '' : ` [${given}]`}`;
    });
    const data = {
      workflows: workflows.map(({ name, description, inputs }) => ({
        name,
        ...(description !== undefined && { description }),
        inputs: inputs.map((one) => ({ ...one })),
      })),
    };
    return {
      data,
      text: lines.length === 0 ? 'There are no workflows that you can run.' : lines.join('\n'),
    };
  },
});
