import type { RunAnswer, RunOptions } from '../../../features/workflows/index.js';
import { printable, printableLines, shellWord } from '../../../config/index.js';
import {
  type Command,
  configOption,
  type Context,
  type Given,
  profileOptions,
  textOption,
  toolsOption,
} from '../../command.js';
import { Failure } from '../../failure.js';
import { configFileOf } from '../../locate.js';
import { unusedOptionNotes, unusedProfileNote } from './unused-options.js';
import { agentOptions } from './run-agent.js';
import { mocksOf, readAssignments } from './run-arguments.js';
import { shownPlan } from './run-plan.js';
import { shownRun } from './run-result.js';
import { openRunView, outputModes } from './run-view.js';
import { actorOf } from '../../with-gateway.js';
import { openTidegate } from '../../open-tidegate.js';

export const run: Command = {
  name: 'run',
  summary: 'Run a workflow, or one agent with a prompt. Agents get only the tools you allow.',
  arguments: [
    { name: '[workflow]', about: 'Workflow file, or a name from .tidegate/workflows or .awf/workflows.' },
  ],
  // Reports an interruption itself, with the command that resumes the run.
  isService: true,
  options: [
    configOption,
    {
      name: 'input',
      short: 'i',
      value: 'name=value',
      isRepeated: true,
      about: 'Workflow input. Can be repeated.',
    },
    { name: 'dry-run', about: 'Show what would run, as text and as a Mermaid chart, without running it.' },
    { name: 'step', short: 's', value: 'name', about: 'Run only this step.' },
    {
      name: 'mock',
      goesWith: 'step',
      short: 'm',
      value: 'states.x.Output=value',
      isRepeated: true,
      about: 'Mock result of another step, for use with --step. Can be repeated.',
    },
    { name: 'resume', value: 'run', about: 'Resume a run. Completed steps are not repeated.' },
    {
      name: 'take-over',
      goesWith: 'resume',
      about: "When resuming a run that an agent started, use your own rights instead of the agent's.",
    },
    {
      name: 'output',
      short: 'o',
      value: 'mode',
      about: 'How to show the output of commands: silent (default), streaming or buffered.',
    },
    {
      name: 'agent',
      value: 'provider',
      about: 'Run a single agent without a workflow: openai, claude, gemini, codex or opencode.',
    },
    {
      name: 'prompt',
      goesWith: 'agent',
      short: 'p',
      value: 'text',
      about: 'Prompt for --agent. - reads standard input.',
    },
    { name: 'system', goesWith: 'agent', value: 'text', about: 'System prompt for --agent.' },
    {
      name: 'model',
      goesWith: 'agent',
      value: 'name',
      about: "Model for --agent. Default: OPENAI_MODEL, or the agent's own default.",
    },
    {
      name: 'base-url',
      goesWith: 'agent',
      value: 'url',
      about: "Base URL of the model API for --agent. Default: OPENAI_BASE_URL, or the agent's own.",
    },
    {
      name: 'api-key-env',
      goesWith: 'agent',
      value: 'variable',
      about:
        'Environment variable with the API key for --base-url. Default: the variable that the agent uses, or OPENAI_API_KEY.',
    },
    {
      ...toolsOption,
      goesWith: 'agent',
      about: 'Tools for --agent: names or patterns, separated by commas. Default: all.',
    },
    ...profileOptions,
  ],
  examples: [
    'tidegate run deploy -i target=staging',
    'tidegate run flow.yaml --dry-run',
    'tidegate run --resume 20260728-101500-a1b2c3',
    `tidegate run --agent claude --prompt "What does this project do?" --tools 'Read,Glob,Grep'`,
  ],
  async run(given, context) {
    const request = await optionsOf(given, context);
    for (const note of unusedOptionNotes(given, run.options ?? [])) context.output.note(note);
    if (given.options['dry-run'] === true) return shownPlan(request, context);
    const { runFlow } = await import('../../../features/workflows/index.js');
    const view = openRunView(context, modeOf(given), request.text === undefined);
    const { ask } = request;
    const held = ask && { ask: (question: string) => view.hold(() => ask(printableLines(question))) };
    let answer: RunAnswer;
    try {
      answer = await runFlow(openTidegate, {
        ...request,
        ...held,
        onEvent: (event) => view.take(event),
        onFindings: (found) => view.findings(found),
        onChanged: (file) => view.remark(changedNote(file)),
        onUntrusted: (file) => view.remark(untrustedNote(file)),
        onIdleProfile: (profile) => view.remark(unusedProfileNote(profile)),
      });
      if (answer.kind === 'inputs' && answer.problems.length === 0 && context.input.isTerminal) {
        const { missing } = answer;
        const inputs = await view.hold(() => askedInputs(missing, context));
        answer = await runFlow(openTidegate, {
          ...request,
          ...held,
          inputs: { ...request.inputs, ...inputs },
          onEvent: (event) => view.take(event),
        });
      }
    } finally {
      view.close();
    }
    return shownRun(answer, context, request.text === undefined);
  },
};

async function optionsOf(given: Given, context: Context): Promise<RunOptions> {
  const { cwd, env, version, signal, input } = context;
  const configFile = configFileOf(textOption(given, 'config'), context);
  const [workflow] = given.arguments;
  const resume = textOption(given, 'resume');
  const agent = textOption(given, 'agent');
  const named = [workflow, resume, agent].filter((word) => word !== undefined);
  if (named.length !== 1) {
    const message = 'Pass exactly one of these: a workflow, --resume or --agent.';
    throw new Failure(
      named.length === 0 ? 'usage.missing_argument' : 'usage.exclusive',
      message,
      'tidegate run --help',
    );
  }
  if (resume !== undefined && given.options['dry-run'] === true) {
    const message = '--dry-run and --resume cannot be used together.';
    throw new Failure('usage.exclusive', message, `tidegate runs show ${shellWord(resume)}`);
  }
  if (resume !== undefined && actorOf(given).profile !== undefined) {
    const message = 'A resumed run keeps its original profile: omit --profile and --role.';
    throw new Failure('usage.exclusive', message, `tidegate run --resume ${shellWord(resume)}`);
  }
  const step = textOption(given, 'step');
  return {
    cwd,
    env,
    version,
    signal,
    onEvent: () => undefined,
    ...(configFile !== undefined && { configFile }),
    ...(workflow !== undefined && { workflow }),
    ...(resume !== undefined && { resume }),
    ...(given.options['take-over'] === true && { takesOver: true }),
    ...(step !== undefined && { only: { step, states: mocksOf(given.lists?.['mock'] ?? []) } }),
    ...(input.isTerminal && { ask: (question: string) => input.ask(question) }),
    inputs: readAssignments(given.lists?.['input'] ?? [], workflow),
    ...actorOf(given),
    ...(agent !== undefined && (await agentOptions(agent, given, context))),
  };
}

/** Completed steps are kept, because a run is often resumed after its file was fixed. */
function changedNote(file: string): string {
  return `${printable(file)} or a file it uses has changed since the run started. Completed steps are kept; the remaining steps use the new version.`;
}

function untrustedNote(file: string): string {
  return `servers from an untrusted file are not started. Review it, then run: tidegate trust ${shellWord(file)}`;
}

function modeOf(given: Given): (typeof outputModes)[number] {
  const written = textOption(given, 'output') ?? 'silent';
  const mode = outputModes.find((one) => one === written);
  if (mode !== undefined) return mode;
  throw new Failure(
    'usage.bad_value',
    `--output must be one of ${outputModes.join(', ')}.`,
    'tidegate run --help',
  );
}

type Missing = Extract<RunAnswer, { readonly kind: 'inputs' }>['missing'];

async function askedInputs(missing: Missing, { input }: Context): Promise<Readonly<Record<string, string>>> {
  const answers: Record<string, string> = {};
  for (const { name, description } of missing) {
    answers[name] = await input.ask(
      printable(`${name}${description === undefined ? '' : ` (${description})`}: `),
    );
  }
  return answers;
}
