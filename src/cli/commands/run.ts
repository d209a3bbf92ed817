import type { RunAnswer, RunWish } from '../../app/workflows/index.js';
import { printable, printableLines } from '../../config/index.js';
import {
  type Command,
  configOption,
  type Context,
  type Given,
  profileOptions,
  textOption,
  toolsOption,
} from '../command.js';
import { Failure } from '../failure.js';
import { configFileOf } from '../locate.js';
import { idleNotes, idleProfile } from '../idle-options.js';
import { agentWish } from '../run-agent.js';
import { mocksOf, readAssignments } from '../run-arguments.js';
import { shellPath } from '../shell-path.js';
import { shownPlan } from '../run-plan.js';
import { shownRun } from '../run-result.js';
import { openRunView, outputModes } from '../run-view.js';
import { actorOf } from '../with-gate.js';

export const run: Command = {
  name: 'run',
  summary: 'Run a workflow, or one agent with a prompt. Each agent has only the tools that it was given.',
  arguments: [{ name: '[workflow]', about: 'A file, or a name from .tidegate/workflows or .awf/workflows.' }],
  // It says itself that it was stopped, and what can be done then.
  isService: true,
  options: [
    configOption,
    {
      name: 'input',
      short: 'i',
      value: 'name=value',
      isRepeated: true,
      about: 'An input of the workflow. May be repeated.',
    },
    { name: 'dry-run', about: 'Show what would be done, as text and as a Mermaid chart, and do nothing.' },
    { name: 'step', short: 's', value: 'name', about: 'Run this one step only.' },
    {
      name: 'mock',
      short: 'm',
      value: 'states.x.Output=value',
      isRepeated: true,
      about: 'A result that --step may use. May be repeated.',
    },
    { name: 'resume', value: 'run', about: 'Go on with a run: what it has done is not done again.' },
    {
      name: 'output',
      short: 'o',
      value: 'mode',
      about: 'Output of commands: silent (default), streaming or buffered.',
    },
    {
      name: 'agent',
      value: 'provider',
      about: 'Run one agent without a workflow: openai, claude, gemini, codex or opencode.',
    },
    {
      name: 'prompt',
      short: 'p',
      value: 'text',
      about: 'What the agent of --agent is asked. - reads standard input.',
    },
    { name: 'system', value: 'text', about: 'What the agent of --agent is told before.' },
    {
      name: 'model',
      value: 'name',
      about: 'The model of --agent. Default: OPENAI_MODEL, or what the agent itself uses.',
    },
    {
      name: 'base-url',
      value: 'url',
      about: 'Where the model of --agent is. Default: OPENAI_BASE_URL, or where the agent itself asks.',
    },
    {
      name: 'api-key-env',
      value: 'variable',
      about:
        'The variable with the key for --base-url. Default: the one that the agent itself reads, or OPENAI_API_KEY.',
    },
    {
      ...toolsOption,
      about: 'The tools of --agent: names or patterns, divided by commas. Default: all of them.',
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
    const wish = await wishOf(given, context);
    for (const note of idleNotes(given)) context.output.note(note);
    if (given.options['dry-run'] === true) return shownPlan(wish, context);
    const { runFlow } = await import('../../app/workflows/index.js');
    const view = openRunView(context, modeOf(given), wish.text === undefined);
    const { ask } = wish;
    const held = ask && { ask: (question: string) => view.hold(() => ask(printableLines(question))) };
    let answer: RunAnswer;
    try {
      answer = await runFlow({
        ...wish,
        ...held,
        onEvent: (event) => view.take(event),
        onFindings: (found) => view.findings(found),
        onChanged: (file) => view.remark(changedWords(file)),
        onUntrusted: (file) => view.remark(untrustedWords(file)),
        onIdleProfile: (profile) => view.remark(idleProfile(profile)),
      });
      if (answer.kind === 'inputs' && answer.problems.length === 0 && context.input.isTerminal) {
        const { missing } = answer;
        const inputs = await view.hold(() => askedInputs(missing, context));
        answer = await runFlow({
          ...wish,
          ...held,
          inputs: { ...wish.inputs, ...inputs },
          onEvent: (event) => view.take(event),
        });
      }
    } finally {
      view.close();
    }
    return shownRun(answer, context, wish.text === undefined);
  },
};

async function wishOf(given: Given, context: Context): Promise<RunWish> {
  const { cwd, env, version, signal, input } = context;
  const configFile = configFileOf(textOption(given, 'config'), context);
  const [workflow] = given.arguments;
  const resume = textOption(given, 'resume');
  const agent = textOption(given, 'agent');
  const named = [workflow, resume, agent].filter((word) => word !== undefined);
  if (named.length !== 1) {
    const message = 'Give a workflow, or --resume, or --agent: one of them.';
    throw new Failure(
      named.length === 0 ? 'usage.missing_argument' : 'usage.exclusive',
      message,
      'tidegate run --help',
    );
  }
  if (resume !== undefined && given.options['dry-run'] === true) {
    const message = '--dry-run shows a workflow before it is run, and --resume goes on with a run.';
    throw new Failure('usage.exclusive', message, `tidegate runs show ${shellPath(resume)}`);
  }
  if (resume !== undefined && actorOf(given).profile !== undefined) {
    const message = 'A run keeps the profile that it began with: leave out --profile and --role.';
    throw new Failure('usage.exclusive', message, `tidegate run --resume ${shellPath(resume)}`);
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
    ...(step !== undefined && { only: { step, states: mocksOf(given.lists?.['mock'] ?? []) } }),
    ...(input.isTerminal && { ask: (question: string) => input.ask(question) }),
    inputs: readAssignments(given.lists?.['input'] ?? [], workflow),
    ...actorOf(given),
    ...(agent !== undefined && (await agentWish(agent, given, context))),
  };
}

/** What was done stays done: a run is often resumed because its file was mended. */
function changedWords(file: string): string {
  return `${printable(file)}, or a file that it uses, was changed since the run began: what is done stays as it was, the rest is done as it is written now.`;
}

function untrustedWords(file: string): string {
  return `servers of an untrusted file are left out. Read it, then: tidegate trust ${printable(shellPath(file))}`;
}

function modeOf(given: Given): (typeof outputModes)[number] {
  const written = textOption(given, 'output') ?? 'silent';
  const mode = outputModes.find((one) => one === written);
  if (mode !== undefined) return mode;
  throw new Failure(
    'usage.bad_value',
    `--output is one of ${outputModes.join(', ')}.`,
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
