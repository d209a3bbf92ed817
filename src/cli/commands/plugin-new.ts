import type { Command } from '../command.js';
import { exitCodes } from '../exit-codes.js';

export const pluginNew: Command = {
  name: 'plugin new',
  summary: 'Start a plugin of this workspace.',
  arguments: [{ name: '<name>', about: 'The name of the plugin.' }],
  examples: ['tidegate plugin new hello'],
  async run() {
    return exitCodes.ok;
  },
};
