import { z } from 'zod';
import { defineTool } from '../../tool/index.js';

export default defineTool({
  name: 'execute_workflow',
  title: 'Run a workflow',
  description:
    'Runs a workflow to the end and returns its outputs and the status of each step. Its agents have at most your permissions. Only workflows listed by list_workflows can run.',
  effect: 'execute',
  needs: ['runner'],
  input: z.object({
    workflow: z.string().min(1).max(200).describe('Workflow name.'),
    inputs: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .optional()
      .describe('Inputs by name.'),
  }),
  aliases: { workflow: ['name', 'workflow_name'], inputs: ['arguments', 'args', 'input'] },
  output: z.object({
    run: z.string().describe('Run id, for `tidegate runs show`.'),
    status: z.enum(['completed', 'failed', 'cancelled']).describe('How it ended.'),
    message: z.string().optional().describe('Final message.'),
    outputs: z.record(z.string(), z.unknown()).describe('Outputs by name.'),
    steps: z
      .array(
        z.object({
          name: z.string().describe('Step name.'),
          status: z.string().describe('How it ended.'),
          error: z.string().optional().describe('Why it failed.'),
          code: z.string().optional().describe('Failure code.'),
        }),
      )
      .describe('The steps, in the order they finished.'),
  }),
  async run({ workflow, inputs = {} }, { ports, exchange }) {
    let ended = 0;
    const result = await ports.runner.run(workflow, inputs, exchange, (step, status) => {
      ended += 1;
      exchange.step?.(`${step}: ${status}`)();
    });
    const steps = result.steps.map((step) => ({ ...step }));
    const lines = [
      `Run ${result.run} ${result.status}${result.message === undefined ? '' : `: ${result.message}`}`,
      ...Object.entries(result.outputs).map(
        ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
      ),
      ...steps.map(
        ({ name, status, error }) => `- ${name}: ${status}${error === undefined ? '' : ` (${error})`}`,
      ),
      `${String(ended)} steps`,
    ];
    return { data: { ...result, outputs: { ...result.outputs }, steps }, text: lines.join('\n') };
  },
});
