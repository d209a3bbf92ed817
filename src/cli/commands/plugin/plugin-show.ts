import { printable } from '../../../config/index.js';
import { type Command, configOption, type Context } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { fileRole } from './file-role.js';
import { findPlugin, neighboursListed, reportsOf } from './with-plugins.js';
import { withGateway } from '../../with-gateway.js';

export const pluginShow: Command = {
  name: 'plugin show',
  summary: 'Show a plugin: state, trusted files, operations and step types. Starts the plugin if it may run.',
  arguments: [{ name: '<name>', about: 'Name of the plugin.' }],
  options: [configOption],
  examples: ['tidegate plugin show echo', 'tidegate plugin show echo --json'],
  run(given, context) {
    const [name = ''] = given.arguments;
    const { output, signal } = context;
    return withGateway(given, context, 'command', async (tidegate) => {
      const plugin = findPlugin(tidegate.locatedPlugins(), name);
      const answer = await tidegate.plugins.offer(name, signal);
      // Listing would retry a failed plugin and hide its current state.
      if (answer.ok) await neighboursListed(tidegate);
      const report = reportsOf(tidegate).find((one) => one.name === name);
      const { operations, stepTypes } = answer.ok ? answer.value : { operations: [], stepTypes: [] };
      const { description, expose, standing } = plugin;
      const files = plugin.files.filter(({ sha256 }) => sha256 !== '');
      // Values may be secrets.
      const settings = Object.keys(plugin.config);
      output.json({ ...report, description, standing, files, settings, expose, operations, stepTypes });
      output.line(output.paint('bold', printable(name)));
      if (description !== undefined) output.say(printable(description));
      const lines = [
        ['state', `${report?.state ?? 'stopped'}${report?.detail === undefined ? '' : `: ${report.detail}`}`],
        ['version', plugin.version ?? '-'],
        ['location', plugin.place],
        ['provides', report?.capabilities.join(', ') ?? '-'],
      ] as const;
      output.table(
        lines.map(([label, text]) => [label, printable(text)]),
        'wrapped',
      );
      for (const file of files) {
        output.say(`${fileRole(file)}: ${printable(file.file)}`);
        output.line(`  SHA-256 ${file.sha256}`);
      }
      listing('Operations', operations, context);
      listing('Step types', stepTypes, context);
      if (answer.ok) return exitCodes.ok;
      return standing === 'trusted' && plugin.isEnabled ? exitCodes.unavailable : exitCodes.untrusted;
    });
  },
};

function listing(
  title: string,
  rows: readonly { readonly name: string; readonly tool?: string; readonly description: string }[],
  { output }: Context,
): void {
  if (rows.length === 0) return;
  output.line('');
  output.line(title);
  output.table(
    rows.map(({ name, tool, description }) => [
      `  ${printable(name)}`,
      printable(tool ?? ''),
      printable(description.split('\n')[0] ?? ''),
    ]),
  );
}
