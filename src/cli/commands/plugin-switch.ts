import { printable } from '../../config/index.js';
import type { Command, Context, Given } from '../command.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { findPlugin, locatedPlugins } from '../plugins.js';

export const pluginEnable: Command = {
  name: 'plugin enable',
  summary: 'Switch a plugin on again.',
  arguments: [{ name: '<name>', about: 'The name of the plugin.' }],
  examples: ['tidegate plugin enable echo'],
  run: (given, context) => turn(given, context, true),
};

export const pluginDisable: Command = {
  name: 'plugin disable',
  summary: 'Switch a plugin off, for every gate of this user. Its trust is kept.',
  arguments: [{ name: '<name>', about: 'The name of the plugin.' }],
  examples: ['tidegate plugin disable echo'],
  run: (given, context) => turn(given, context, false),
};

async function turn(given: Given, context: Context, isOn: boolean): Promise<ExitCode> {
  const [name = ''] = given.arguments;
  const { place, standing } = findPlugin(await locatedPlugins(context), name);
  const { openState } = await import('../../app/index.js');
  const { openPluginSwitches } = await import('../../config/plugins/index.js');
  openPluginSwitches(openState(context.env).directory).turn(place, isOn);
  const { output } = context;
  output.json({ name, enabled: isOn, standing });
  output.line(`${isOn ? 'Switched on' : 'Switched off'}: ${printable(name)}`);
  if (isOn && standing !== 'trusted')
    output.note(`it still needs trust: tidegate plugin trust ${printable(name)}`);
  const after = findPlugin(await locatedPlugins(context), name);
  if (isOn && after.offBy !== undefined)
    output.note(`it stays off, because \`enabled\` is false in ${printable(after.offBy)}`);
  return exitCodes.ok;
}
