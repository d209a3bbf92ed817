import { z } from 'zod';
import { defineTool } from '../../tool/index.js';

const input = z.object({
  name: z.string().describe('The name of the input.'),
  description: z.string().optional().describe('What it is for.'),
  type: z.string().optional().describe('What its value must be.'),
  required: z.boolean().describe('Whether the workflow cannot run without it.'),
});

export default defineTool({
  name: 'list_workflows',
  title: 'List workflows',
  description:
    'Lists the workflows that execute_workflow can run here, with the inputs that each of them takes.',
  effect: 'read',
  hints: { openWorld: false },
  needs: ['runner'],
  input: z.object({}),
  output: z.object({
    workflows: z
      .array(
        z.object({
          name: z.string().describe('The name for execute_workflow.'),
          description: z.string().optional().describe('What the workflow is for.'),
          inputs: z.array(input).describe('What it is given.'),
        }),
      )
      .describe('The workflows, in the order of their names.'),
  }),
  async run(_input, { ports }) {
    const workflows = await ports.runner.list();
    const lines = workflows.map(({ name, description, inputs }) => {
      const given = inputs.map((one) => `${one.name}${one.required ? ' (needed)' : ''}`).join(', ');
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
      text: lines.length === 0 ? 'There are no workflows that may be run here.' : lines.join('\n'),
    };
  },
});
