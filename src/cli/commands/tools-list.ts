import { printable } from '../../config/index.js';
import { asOption, type Command, configOption, toolsOption } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { listErrors } from '../plugins.js';
import { summaryOf, toolsOf } from '../tools.js';
import { trustHint, withGate, workspaceNotes } from '../with-gate.js';

export const toolsList: Command = {
  name: 'tools list',
  summary: 'List the tools that this gate offers.',
  options: [configOption, asOption, toolsOption],
  examples: [
    'tidegate tools list',
    'tidegate tools list --as agent:alice',
    "tidegate tools list --tools 'find_*,!Bash'",
    'tidegate tools list --json',
  ],
  run(given, context) {
    const { output } = context;
    return withGate(given, context, 'command', async (tidegate) => {
      const { withoutIdleLeads } = await import('../../app/index.js');
      const tools = withoutIdleLeads(tidegate, await toolsOf(tidegate, context));
      output.jsonText(`{"tools":[${tools.map((tool) => tool.definition.text).join(',')}]}`);
      output.table(
        tools.map((tool) => [
          output.paint('bold', printable(tool.name)),
          printable(tool.source),
          summaryOf(tool),
        ]),
      );
      const troubled = tidegate.gateway
        .status()
        .filter(({ state }) => state === 'failed' || state === 'pending');
      for (const { id, state, detail } of troubled) {
        output.note(
          `${id.startsWith('plugin:') ? '' : 'server '}${printable(id)} is ${state}${detail === undefined ? '' : `: ${printable(detail)}`}`,
        );
      }
      const located = tidegate.locatedPlugins();
      for (const line of listErrors(located)) output.note(line);
      const unseen = located.plugins.filter(
        ({ standing, isEnabled }) => isEnabled && (standing === 'new' || standing === 'changed'),
      );
      for (const { name, standing } of unseen) {
        const why = standing === 'changed' ? 'changed since it was trusted' : 'is not trusted';
        output.note(
          `the plugin ${printable(name)} ${why}, and is left out. Look at it: tidegate plugin trust ${printable(name)}`,
        );
      }
      const untrusted = trustHint(tidegate);
      if (untrusted !== undefined)
        output.note(`servers of an untrusted file are left out. Read it, then: ${untrusted}`);
      for (const line of workspaceNotes(tidegate)) output.note(line);
      if (tools.length > 0) return exitCodes.ok;
      output.note('no tools. See: tidegate servers');
      // A list that is empty for want of servers is no answer to build on.
      if (untrusted !== undefined) return exitCodes.untrusted;
      return troubled.length > 0 ? exitCodes.unavailable : exitCodes.ok;
    });
  },
};
