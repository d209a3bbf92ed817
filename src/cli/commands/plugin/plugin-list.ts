import { printable } from '../../../config/index.js';
import { type Command, configOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import type { Colour } from '../../terminal/output.js';
import { listErrors, pluginNotes, reportsOf } from './with-plugins.js';
import { withGateway } from '../../with-gateway.js';

const colours: Readonly<Record<string, Colour>> = {
  ready: 'green',
  idle: 'green',
  pending: 'yellow',
  untrusted: 'yellow',
  failed: 'red',
};

export const pluginList: Command = {
  name: 'plugin list',
  summary: 'List plugins and whether they may run. Does not start them.',
  options: [configOption],
  examples: ['tidegate plugin list', 'tidegate plugin list --json'],
  run(given, context) {
    const { output } = context;
    return withGateway(given, context, 'command', async (tidegate) => {
      const reports = reportsOf(tidegate);
      const located = tidegate.locatedPlugins();
      output.json({ plugins: reports, shadowed: located.shadowed, problems: located.problems });
      const head = ['PLUGIN', 'TYPE', 'STATE', 'VERSION', 'PROVIDES', 'LOCATION'];
      const rows = reports.map(({ name, type, state, version = '-', capabilities, place }) => [
        printable(name),
        type,
        output.paint(colours[state] ?? 'dim', state),
        printable(version),
        capabilities.join(', ') || '-',
        printable(place),
      ]);
      if (rows.length > 0) output.table([head, ...rows]);
      for (const { name, state, detail } of reports)
        if (detail !== undefined && state !== 'ready')
          output.note(`${printable(name)}: ${printable(detail)}`);
      for (const line of pluginNotes(located)) output.note(line);
      if (reports.length === 0) output.note('No plugins found. Create one: tidegate plugin new hello');
      return listErrors(located).length > 0 ? exitCodes.usage : exitCodes.ok;
    });
  },
};
