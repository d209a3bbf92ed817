import { printable, shellWord } from '../../../config/index.js';
import { asOption, type Command, configOption, toolsOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { listErrors } from '../plugin/with-plugins.js';
import { serversIn, toolFilter, toolFilterOptions } from './tool-filter.js';
import { summaryOf, toolsOf } from './with-tools.js';
import { trustHint, withGateway, workspaceNotes } from '../../with-gateway.js';

export const toolsList: Command = {
  name: 'tools list',
  summary: 'List the available tools.',
  arguments: [
    { name: '[text...]', about: 'Only tools whose name or description contains all of these words.' },
  ],
  options: [configOption, asOption, toolsOption, ...toolFilterOptions],
  examples: [
    'tidegate tools list',
    'tidegate tools list --as agent:alice',
    "tidegate tools list --tools 'find_*,!Bash'",
    'tidegate tools list --tier 1,3 --effect write',
    'tidegate tools list invoice --server office --json',
  ],
  run(given, context) {
    const { output } = context;
    const isWanted = toolFilter(given);
    return withGateway(given, context, 'command', async (tidegate) => {
      const { toolJson, withoutIdleLeads } = await import('../../../app/index.js');
      const all = withoutIdleLeads(tidegate, await toolsOf(tidegate, context));
      const tools = all.filter(isWanted(serversIn(all, tidegate)));
      output.jsonText(`{"tools":[${tools.map(toolJson).join(',')}]}`);
      output.table(
        tools.map((tool) => [
          output.paint('bold', printable(tool.name)),
          printable(tool.source),
          tool.tier === undefined ? '-' : `tier ${String(tool.tier)}`,
          tool.effect,
          summaryOf(tool),
        ]),
      );
      const unready = tidegate.gateway.registry
        .status()
        .filter(({ state }) => state === 'failed' || state === 'pending');
      for (const { id, state, detail } of unready) {
        output.note(
          `${id.startsWith('plugin:') ? '' : 'server '}${printable(id)} ${state === 'failed' ? 'failed' : 'is still starting'}${detail === undefined ? '' : `: ${printable(detail)}`}`,
        );
      }
      const located = tidegate.locatedPlugins();
      for (const line of listErrors(located)) output.note(line);
      const unseen = located.plugins.filter(
        ({ standing, isEnabled }) => isEnabled && (standing === 'new' || standing === 'changed'),
      );
      for (const { name, standing } of unseen) {
        const why = standing === 'changed' ? 'has changed since it was trusted' : 'is not trusted';
        output.note(
          `Plugin ${printable(name)} ${why}, so its tools are not listed. To review it: tidegate plugin trust ${shellWord(name)}`,
        );
      }
      const untrusted = trustHint(tidegate);
      if (untrusted !== undefined)
        output.note(`Servers from an untrusted file are not included. Review it, then run: ${untrusted}`);
      for (const line of workspaceNotes(tidegate)) output.note(line);
      if (tools.length > 0) return exitCodes.ok;
      if (all.length > 0) {
        output.note(
          `None of the ${String(all.length)} tools match. To list all of them: tidegate tools list`,
        );
        return exitCodes.ok;
      }
      output.note('No tools available. To check your servers: tidegate servers');
      // An empty list caused by missing servers must not look like success.
      if (untrusted !== undefined) return exitCodes.untrusted;
      return unready.length > 0 ? exitCodes.unavailable : exitCodes.ok;
    });
  },
};
