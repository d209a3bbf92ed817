import { printable } from '../../../config/index.js';
import type { Command } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { locate } from '../../locate.js';

export const configPath: Command = {
  name: 'config path',
  summary: 'Print the path of the configuration file in use here.',
  examples: ['tidegate config path', 'tidegate config path --json'],
  async run(_given, context) {
    const { located, state } = await locate(undefined, context);
    context.output.json({ file: located.file, state: state.directory });
    context.output.line(printable(located.file));
    return exitCodes.ok;
  },
};
