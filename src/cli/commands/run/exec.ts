import { shellWord } from '../../../config/index.js';
import type { ExecAnswer } from '../../../features/workflows/index.js';
import {
  type Command,
  configOption,
  type Context,
  type Given,
  asOption,
  profileOptions,
  textOption,
  toolsOption,
} from '../../command.js';
import { Failure, interrupted } from '../../failure.js';
import { configFileOf, problemLines } from '../../locate.js';
import { didYouMean } from '../../nearest-name.js';
import { urlOption } from './run-agent.js';
import { actorOf, openingFailure, patternsOf } from '../../with-gateway.js';
import { openTidegate } from '../../open-tidegate.js';

export const exec: Command = {
  name: 'exec',
  summary: 'Start an agent in this terminal with Tidegate as its only source of tools.',
  arguments: [
    { name: '<agent>', about: 'claude, gemini, codex or opencode.' },
    { name: '[words...]', about: 'Arguments for the agent itself, after --.' },
  ],
  options: [
    configOption,
    { name: 'model', value: 'name', about: "Model to use. Default: the agent's own default." },
    { name: 'base-url', value: 'url', about: "Base URL of the model API. Default: the agent's own." },
    {
      name: 'api-key-env',
      value: 'variable',
      about:
        'Environment variable with the API key for --base-url. Default: the variable that the agent uses.',
    },
    toolsOption,
    asOption,
    ...profileOptions,
  ],
  examples: [
    'tidegate exec claude --model opus',
    'tidegate exec gemini --tools \'Read,Glob,Grep\' -- -p "What does this project do?"',
    'tidegate exec codex --base-url http://127.0.0.1:8000/v1 --api-key-env MY_KEY --model my-model',
  ],
  isService: true,
  async run(given, context) {
    const { agentNames, execAgent } = await import('../../../features/workflows/index.js');
    const { AccessRefused, ConfigRefused } = await import('../../../app/index.js');
    const [agent = '', ...own] = given.arguments;
    if (!agentNames.includes(agent)) {
      const near = didYouMean(agent, agentNames);
      throw new Failure('agent.not_found', `Unknown agent: ${agent}.${near}`, 'tidegate doctor');
    }
    const request = optionsOf(given, context);
    const answer = await execAgent(openTidegate, { ...request, agent, own }).catch((error: unknown) => {
      throw openingFailure(error, request.configFile, { AccessRefused, ConfigRefused });
    });
    if (answer.kind !== 'ended') throw failureOf(answer, agent);
    const { code, signal } = answer.exit;
    return code ?? (signal === 'SIGINT' ? 130 : 1);
  },
};

function failureOf(answer: Exclude<ExecAnswer, { readonly kind: 'ended' }>, agent: string): Failure {
  switch (answer.kind) {
    case 'stopped':
      return interrupted();
    case 'undoing': {
      const why = 'is not allowed, because it could let the agent bypass Tidegate or change its setup';
      const hint = /^[a-z][\w-]*$/i.test(answer.word) ? ' A prompt must have more than one word.' : '';
      return new Failure(
        'agent.undoing',
        `${answer.word} ${why}.${hint}`,
        `tidegate exec ${shellWord(agent)}`,
      );
    }
    case 'twice':
      return new Failure('usage.exclusive', 'The model is set twice, before and after --.');
    case 'keyless': {
      const message = `No API key for --base-url: ${answer.variable} is not set.`;
      return new Failure(
        'usage.missing_argument',
        message,
        'set it, or name another variable with --api-key-env',
      );
    }
    case 'leaks': {
      const message = `${answer.title} has tools that Tidegate cannot turn off: ${answer.leaks.join(', ')}.`;
      return new Failure('agent.leaks', message, `tidegate doctor --agent ${shellWord(agent)}`);
    }
    case 'failed': {
      const isAbsent = answer.why.code === 'EXECUTION.AGENT.UNAVAILABLE';
      const code = isAbsent ? 'agent.not_installed' : 'agent.failed';
      return new Failure(
        code,
        answer.why.message,
        answer.why.next ?? `tidegate doctor --agent ${shellWord(agent)}`,
      );
    }
  }
}

function optionsOf(given: Given, context: Context) {
  const { cwd, env, version, signal, output } = context;
  const configFile = configFileOf(textOption(given, 'config'), context);
  const model = textOption(given, 'model');
  const baseUrl = urlOption(given);
  const apiKeyEnv = textOption(given, 'api-key-env');
  const toolPatterns = patternsOf(given, 'tidegate exec claude');
  return {
    cwd,
    env,
    version,
    signal,
    onNote: (text: string) => output.note(text),
    onProblems: (problems: Parameters<typeof problemLines>[0]) => {
      for (const line of problemLines(problems)) output.note(line);
    },
    onStart: () => context.lendTerminal(),
    ...(configFile !== undefined && { configFile }),
    ...(model !== undefined && { model }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKeyEnv !== undefined && { apiKeyEnv }),
    ...actorOf(given),
    ...(toolPatterns && { toolPatterns }),
  };
}
