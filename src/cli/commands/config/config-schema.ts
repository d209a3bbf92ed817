import type { Command } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';

export const configSchema: Command = {
  name: 'config schema',
  summary: 'Print the JSON Schema for tidegate.yaml, for use in editors.',
  examples: ['tidegate config schema > tidegate.schema.json'],
  async run(_given, { output }) {
    const { configJsonSchema } = await import('../../../config/index.js');
    const schema = configJsonSchema();
    output.json(schema);
    output.line(JSON.stringify(schema, undefined, 2));
    return exitCodes.ok;
  },
};
