import { printable, shellWord } from '../../../config/index.js';
import { asOption, type Command, configOption, type Context, toolsOption } from '../../command.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { mermaidLines } from '../../terminal/mermaid.js';
import { sheetLines } from './tool-sheet.js';
import { findTool, type Tool } from './with-tools.js';
import { withGateway } from '../../with-gateway.js';

export const toolsShow: Command = {
  name: 'tools show',
  summary: 'Show a tool: its description, arguments and result.',
  arguments: [{ name: '<name>', about: 'Name of the tool.' }],
  options: [
    configOption,
    asOption,
    toolsOption,
    { name: 'graph', about: 'Print the graph of a tool made of nodes as a Mermaid chart.' },
  ],
  examples: ['tidegate tools show Read', 'tidegate tools show my_graph --graph'],
  run(given, context) {
    const { output } = context;
    const [name = ''] = given.arguments;
    return withGateway(given, context, 'command', async (tidegate) => {
      const tool = await findTool(tidegate, name, context);
      if (given.options['graph'] === true) return showGraph(tool, context);
      output.jsonText(jsonOf(tool));
      for (const line of sheetLines(tool, output)) output.line(line);
      return exitCodes.ok;
    });
  },
};

/** Splices in the definition text, so it stays exactly as its author sent it. */
function jsonOf({ source, effect, hints, tier, needs, optional, aliases, definition }: Tool): string {
  const facts = JSON.stringify({ source, effect, hints, tier, needs, optional, aliases });
  return `${facts.slice(0, -1)},"definition":${definition.text}}`;
}

function showGraph({ name, graph }: Tool, { output }: Context): ExitCode {
  if (graph === undefined) {
    throw new Failure(
      'tool.no_graph',
      `${printable(name)} has no graph: it is not made of nodes.`,
      `tidegate tools show ${shellWord(name)}`,
    );
  }
  output.json({ name, graph });
  for (const line of mermaidLines(graph)) output.line(line);
  return exitCodes.ok;
}
