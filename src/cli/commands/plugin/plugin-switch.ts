import { printable, shellWord } from '../../../config/index.js';
import type { Command, Context, Given } from '../../command.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { findPlugin, locatedPlugins } from './with-plugins.js';

export const pluginEnable: Command = {
  name: 'plugin enable',
  summary: 'Enable a plugin.',
  arguments: [{ name: '<name>', about: 'Name of the plugin.' }],
  examples: ['tidegate plugin enable echo'],
  run: (given, context) => turn(given, context, true),
};

export const pluginDisable: Command = {
  name: 'plugin disable',
  summary: 'Disable a plugin for all your gateways. It stays trusted.',
  arguments: [{ name: '<name>', about: 'Name of the plugin.' }],
  examples: ['tidegate plugin disable echo'],
  run: (given, context) => turn(given, context, false),
};

async function turn(given: Given, context: Context, isOn: boolean): Promise<ExitCode> {
  const [name = ''] = given.arguments;
  const { place, standing } = findPlugin(await locatedPlugins(context), name);
  const { openState } = await import('../../../app/index.js');
  const { openPluginSwitches } = await import('../../../config/plugins/index.js');
  openPluginSwitches(openState(context.env).directory).turn(place, isOn);
  const { output } = context;
  output.json({ name, enabled: isOn, standing });
  output.line(`${isOn ? 'Enabled' : 'Disabled'}: ${printable(name)}`);
  if (isOn && standing !== 'trusted')
    output.note(`It is not trusted yet. To review it: tidegate plugin trust ${shellWord(name)}`);
  const after = findPlugin(await locatedPlugins(context), name);
  if (isOn && after.offBy !== undefined)
    output.note(`It stays disabled because \`enabled\` is false in ${printable(after.offBy)}`);
  return exitCodes.ok;
}
