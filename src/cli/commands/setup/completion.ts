import type { Command } from '../../command.js';
import { bashScript } from './completion-bash.js';
import { fishScript } from './completion-fish.js';
import { lineOf } from './completion-data.js';
import { zshScript } from './completion-zsh.js';
import { exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { groups } from '../../groups.js';
import { everyCode } from '../access/explained-code.js';
import { didYouMean } from '../../nearest-name.js';

const shells = ['bash', 'zsh', 'fish'] as const;

/** Takes a function because the list of commands includes this one. */
export const completionOf = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'Print a shell completion script for commands, options and error codes.',
  arguments: [{ name: '<shell>', about: 'bash, zsh or fish.' }],
  examples: [
    'tidegate completion fish > ~/.config/fish/completions/tidegate.fish',
    'eval "$(tidegate completion bash)"',
    'eval "$(tidegate completion zsh)"',
  ],
  async run(given, { output }) {
    const [named = ''] = given.arguments;
    const shell = shells.find((name) => name === named);
    if (shell === undefined)
      throw new Failure(
        'usage.bad_value',
        `No completion for "${named}". Supported shells: ${shells.join(', ')}.${didYouMean(named, shells)}`,
        'tidegate completion bash',
      );
    const text = await scriptFor(shell, commands());
    output.json({ shell, script: text });
    output.line(text.trimEnd());
    return exitCodes.ok;
  },
});

async function scriptFor(shell: (typeof shells)[number], commands: readonly Command[]): Promise<string> {
  const { agentNames } = await import('../../../features/workflows/index.js');
  const codes = (await everyCode()).map(({ code }) => code);
  const line = lineOf(commands, groups, {
    agent: agentNames,
    '--agent': agentNames,
    'run --agent': ['openai', ...agentNames],
    'code|principal': codes,
    shell: shells,
  });
  if (shell === 'bash') return bashScript(line);
  return shell === 'zsh' ? zshScript(line) : fishScript(line);
}
