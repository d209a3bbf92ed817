import { printable, printableLines } from '../../config/index.js';
import { type Command, configOption } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { findTool, propertiesOf } from '../tools.js';
import { withGate } from '../with-gate.js';

export const toolsShow: Command = {
  name: 'tools show',
  summary: 'Show one tool: what it does and what it takes.',
  arguments: [{ name: '<name>', about: 'The name of the tool.' }],
  options: [configOption],
  examples: ['tidegate tools show files_read_file'],
  run(given, context) {
    const { output } = context;
    const [name = ''] = given.arguments;
    return withGate(given, context, 'command', async (tidegate) => {
      const tool = await findTool(tidegate, name, context);
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

function exampleArguments(properties: ReturnType<typeof propertiesOf>): string {
  return properties
    .filter(({ isRequired }) => isRequired)
    .map(({ name }) => `${printable(name)}=…`)
    .join(' ');
}
