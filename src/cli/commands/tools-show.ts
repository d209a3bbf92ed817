import { printable, printableLines } from '../../config/index.js';
import { asOption, type Command, configOption, type Context } from '../command.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { mermaidLines } from '../mermaid.js';
import { findTool, propertiesOf, type Tool } from '../tools.js';
import { withGate } from '../with-gate.js';

export const toolsShow: Command = {
  name: 'tools show',
  summary: 'Show one tool: what it does and what it takes.',
  arguments: [{ name: '<name>', about: 'The name of the tool.' }],
  options: [
    configOption,
    asOption,
    { name: 'graph', about: 'Print a tool that is made of nodes as a Mermaid chart.' },
  ],
  examples: ['tidegate tools show Read', 'tidegate tools show my_graph --graph'],
  run(given, context) {
    const { output } = context;
    const [name = ''] = given.arguments;
    return withGate(given, context, 'command', async (tidegate) => {
      const tool = await findTool(tidegate, name, context);
      if (given.options['graph'] === true) return showGraph(tool, context);
      output.jsonText(`{"source":${JSON.stringify(tool.source)},"definition":${tool.definition.text}}`);
      output.line(
        `${output.paint('bold', printable(tool.name))}  ${output.paint('dim', printable(tool.source))}`,
      );
      const { description } = tool.definition.value as { readonly description?: unknown };
      if (typeof description === 'string') output.line(`\n${printableLines(description.trim())}`);
      const properties = propertiesOf(tool);
      if (properties.length > 0) output.line('\nArguments');
      output.table(
        properties.map(({ name: key, type, isRequired, about }) => [
          `  ${printable(key)}`,
          printable(type),
          isRequired ? 'required' : '',
          about,
        ]),
      );
      output.line(
        `\nTry: tidegate tools call ${printable(tool.name)} ${exampleArguments(properties)}`.trimEnd(),
      );
      return exitCodes.ok;
    });
  },
};

function showGraph({ name, graph }: Tool, { output }: Context): ExitCode {
  if (graph === undefined) {
    throw new Failure(
      'tool.no_graph',
      `${printable(name)} is not made of nodes.`,
      `tidegate tools show ${name}`,
    );
  }
  output.json({ name, graph });
  for (const line of mermaidLines(graph)) output.line(line);
  return exitCodes.ok;
}

function exampleArguments(properties: ReturnType<typeof propertiesOf>): string {
  return properties
    .filter(({ isRequired }) => isRequired)
    .map(({ name }) => `${printable(name)}=…`)
    .join(' ');
}
