import { printable } from '../../../config/index.js';
import { asOption, type Command, configOption, textOption, toolsOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { untilSettled } from '../../until-settled.js';
import { trustHint, withGateway } from '../../with-gateway.js';

const most = 25;

export const toolsSearch: Command = {
  name: 'tools search',
  summary: 'Search for tools, as an agent does with tool_search.',
  arguments: [
    {
      name: '[need...]',
      about: 'What you need, in plain words; +word must match. Without words, lists the servers.',
    },
  ],
  options: [
    configOption,
    asOption,
    toolsOption,
    { name: 'max', value: 'n', about: `Number of tools to show, 1 to ${String(most)}. Default: 5.` },
  ],
  examples: [
    'tidegate tools search create an issue',
    'tidegate tools search "+github close a pull request" --max 10',
    'tidegate tools search "send mail" --as agent:alice --json',
  ],
  run(given, context) {
    const { output, signal } = context;
    const query = given.arguments.join(' ');
    const maxResults = maximum(textOption(given, 'max'));
    return withGateway(given, context, 'command', async (tidegate) => {
      await untilSettled(tidegate, context);
      const { createQuietExchange } = await import('../../../app/index.js');
      const catalog = await tidegate.exposure.catalog.serve(tidegate.localSession('connection'));
      const request = { query, maxResults, activate: false };
      const { matches, servers, totalMatches, notFound, reason } = await catalog.search(
        request,
        createQuietExchange(signal),
      );
      output.json({ query, matches, totalMatches, notFound, servers, ...(reason && { reason }) });
      if (reason === 'empty_query')
        output.table(
          servers.map(({ name, status, tools, digest }) => [
            printable(name),
            status,
            String(tools),
            printable(digest),
          ]),
        );
      output.table(
        matches.map(({ name, server, confidence, description }) => [
          output.paint('bold', printable(name)),
          printable(server),
          confidence ?? '',
          printable(description.trim().split('\n')[0] ?? ''),
        ]),
      );
      if (totalMatches > matches.length && matches.length < most)
        output.note('There are more matches. Show more with --max.');
      for (const name of notFound) output.note(`Not found: ${printable(name)}`);
      const untrusted = trustHint(tidegate);
      if (untrusted !== undefined)
        output.note(`Servers from an untrusted file are not included. Review it, then run: ${untrusted}`);
      for (const { name, status } of servers)
        if (status !== 'connected' && untrusted === undefined)
          output.note(`server ${printable(name)}: ${status}`);
      if (matches.length === 0 && reason !== 'empty_query')
        output.note('No tools found. Try different or fewer words.');
      return exitCodes.ok;
    });
  },
};

function maximum(text: string | undefined): number {
  if (text === undefined) return 5;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new Failure(
    'usage.bad_value',
    `--max takes a number from 1 to ${String(most)}.`,
    'tidegate tools search --help',
  );
}
