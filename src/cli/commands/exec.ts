import {
  type Command,
  configOption,
  type Context,
  type Given,
  asOption,
  profileOptions,
  textOption,
  toolsOption,
} from '../command.js';
import { Failure } from '../failure.js';
import { configFileOf } from '../locate.js';
import { didYouMean } from '../nearest-name.js';
import { patternsOf } from '../with-gate.js';

export const exec: Command = {
  name: 'exec',
  summary: 'Start an agent in this terminal with the gate as its only source of tools.',
  arguments: [
    { name: '<agent>', about: 'claude, gemini, codex or opencode.' },
    { name: '[words...]', about: 'Words of its own command line, after --.' },
  ],
  options: [configOption, toolsOption, asOption, ...profileOptions],
  examples: ['tidegate exec claude', 'tidegate exec codex --profile coding -- --model gpt-6.1-sol'],
  isService: true,
  async run(given, context) {
    const { agentNames, execAgent } = await import('../../app/workflows/index.js');
    const [agent = '', ...own] = given.arguments;
    if (!agentNames.includes(agent)) {
      const near = didYouMean(agent, agentNames);
      throw new Failure('agent.not_found', `Unknown agent: ${agent}.${near}`, 'tidegate doctor');
    }
    const answer = await execAgent({ ...optionsOf(given, context), agent, own });
    if (answer.kind === 'absent') throw new Failure('agent.not_installed', answer.why, 'tidegate doctor');
    if (answer.kind === 'undoing') {
      const message = `${answer.word} could let the agent work beside the gate, or change how it is set up.`;
      throw new Failure('agent.undoing', message, `tidegate exec ${agent}`);
    }
    if (answer.kind === 'leaks') {
      const message = `${answer.title} has tools that the gate cannot take away: ${answer.leaks.join(', ')}.`;
      throw new Failure('agent.leaks', message, `tidegate doctor --agent ${agent}`);
    }
    const { code, signal } = answer.exit;
    return code ?? (signal === 'SIGINT' ? 130 : 1);
  },
};

function optionsOf(given: Given, context: Context) {
  const { cwd, env, version, signal, output } = context;
  const configFile = configFileOf(textOption(given, 'config'), context);
  const profile = textOption(given, 'profile') ?? textOption(given, 'role');
  const as = textOption(given, 'as');
  const toolPatterns = patternsOf(given, 'tidegate exec claude');
  return {
    cwd,
    env,
    version,
    signal,
    onNote: (text: string) => output.note(text),
    ...(configFile !== undefined && { configFile }),
    ...(profile !== undefined && { profile }),
    ...(as !== undefined && { as }),
    ...(toolPatterns && { toolPatterns }),
  };
}
