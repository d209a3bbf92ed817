// docs/reference/cli.md: the help of every command, and the meaning of each exit status.
import { loadTs } from '../load-ts.mjs';

export async function outputs() {
  const { createProgram } = await loadTs('src/cli/program.ts');
  const { exitCodes, exitMeanings } = await loadTs('src/cli/exit-codes.ts');
  const program = createProgram('0.0.0', () => {}, { write: () => {}, width: () => 100 });
  return [{ path: 'docs/reference/cli.md', text: page(program, exitCodes, exitMeanings) }];
}

function page(program, exitCodes, exitMeanings) {
  const commands = leaves(program, []);
  return [
    '<!-- Generated from src/cli/commands by `npm run generate`. Do not edit. -->',
    '# Commands',
    '',
    'Results go to standard output, notes to standard error. With `--json`, the result or the error is one JSON',
    'document on standard output. Colors appear only on a terminal, and never if `NO_COLOR` is set.',
    '',
    ...commands.flatMap(section),
    '## Exit status',
    '',
    '| status | meaning |',
    '|---|---|',
    ...Object.entries(exitCodes).map(([name, code]) => `| ${code} | ${exitMeanings[name]} |`),
    '',
  ].join('\n');
}

/** All commands that can be run, including those that also have subcommands. */
function leaves(command, words) {
  const below = command.commands.flatMap((child) => leaves(child, [...words, child.name()]));
  const isGroup = command.commands.length > 0 && (words.length === 0 || command.options.length === 0);
  return isGroup ? below : [{ command, words }, ...below];
}

function section({ command, words }) {
  const name = ['tidegate', ...words].join(' ');
  return [`## \`${name}\``, '', command.description(), '', '```', helpOf(command).trim(), '```', ''];
}

/** The help as commander prints it, with the examples after it. */
function helpOf(command) {
  let text = '';
  command.configureOutput({
    ...command.configureOutput(),
    writeOut: (part) => (text += part),
  });
  command.outputHelp();
  return text.replace(`${command.description()}\n\n`, '');
}
