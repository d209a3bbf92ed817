import type { Command } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { didYouMean } from '../nearest-name.js';

const shells = ['bash', 'zsh', 'fish'] as const;

export const completion: Command = {
  name: 'completion',
  summary: 'Print the script that lets a shell complete commands, options and codes.',
  arguments: [{ name: '<shell>', about: 'bash, zsh or fish.' }],
  examples: [
    'eval "$(tidegate completion bash)"',
    'eval "$(tidegate completion zsh)"',
    'tidegate completion fish > ~/.config/fish/completions/tidegate.fish',
  ],
  async run(given, { output }) {
    const [named = ''] = given.arguments;
    const shell = shells.find((name) => name === named);
    if (shell === undefined)
      throw new Failure(
        'usage.bad_value',
        `There is no completion for "${named}".${didYouMean(named, shells)}`,
        'tidegate completion bash',
      );
    const text = await scriptFor(shell);
    output.json({ shell, script: text });
    output.line(text.trimEnd());
    return exitCodes.ok;
  },
};

async function scriptFor(shell: (typeof shells)[number]): Promise<string> {
  const [{ commands }, { groups }, { lineOf }, { everyCode }, { agentNames }] = await Promise.all([
    import('./index.js'),
    import('../program.js'),
    import('../completion/words.js'),
    import('../explained-code.js'),
    import('../../app/workflows/index.js'),
  ]);
  const codes = (await everyCode()).map(({ code }) => code);
  const line = lineOf(commands, groups, {
    agent: agentNames,
    '--agent': agentNames,
    'code|principal': codes,
    shell: shells,
  });
  if (shell === 'bash') return (await import('../completion/bash.js')).bashScript(line);
  if (shell === 'zsh') return (await import('../completion/zsh.js')).zshScript(line);
  return (await import('../completion/fish.js')).fishScript(line);
}
