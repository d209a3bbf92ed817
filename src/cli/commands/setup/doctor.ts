import { shellWord } from '../../../config/index.js';
import type { Check, Examination } from '../../../features/doctor/index.js';
import { type Command, configOption, type Context, type Given, textOption } from '../../command.js';
import { doctorAgents } from './doctor-agents.js';
import { openProgress } from './doctor-progress.js';
import { jsonOf, showExamination } from './doctor-view.js';
import { exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { configFileOf } from '../../locate.js';
import { didYouMean } from '../../nearest-name.js';

export const doctor: Command = {
  name: 'doctor',
  summary:
    'Check your setup: machine, state, configuration, servers, store and agents. --fix repairs what can be fixed safely.',
  options: [
    configOption,
    {
      name: 'fix',
      about: 'Fix what can be fixed safely and show what was done. Never trusts or installs anything.',
    },
    {
      name: 'only',
      value: 'checks',
      about: 'Run only these checks or groups, separated by commas, such as servers,home.',
    },
    {
      name: 'agent',
      value: 'name',
      about:
        'Test whether this agent can bypass Tidegate, with a mock model that makes rogue calls: claude, gemini, codex, opencode or all.',
    },
    {
      name: 'model',
      value: 'name',
      about:
        'With --agent: test the tools that the agent offers to this model. Default: a model that the agent supports.',
    },
  ],
  examples: [
    'tidegate doctor',
    'tidegate doctor --fix',
    'tidegate doctor --only servers,trust --json',
    'tidegate doctor --agent claude',
  ],
  async run(given, context) {
    const agent = textOption(given, 'agent');
    const isFixing = given.options['fix'] === true;
    const only = textOption(given, 'only');
    if (agent !== undefined && (isFixing || only !== undefined))
      throw new Failure(
        'usage.exclusive',
        '--agent cannot be combined with --fix or --only.',
        `tidegate doctor --agent ${shellWord(agent)}`,
      );
    if (agent !== undefined) return doctorAgents(agent, given, context);
    const examination = await examined(given, context, isFixing);
    if (context.signal.aborted) return exitCodes.interrupted;
    const app = await import('../../../features/doctor/index.js');
    context.output.json(jsonOf(examination, app));
    showExamination(examination, context.output, app);
    const hasFailed = examination.examined.some(({ findings }) => app.worstOf(findings) === 'fail');
    return hasFailed ? exitCodes.unavailable : exitCodes.ok;
  },
};

async function examined(given: Given, context: Context, isFixing: boolean): Promise<Examination> {
  const [{ checks, examine }, { storeSecretsCommand }] = await Promise.all([
    import('../../../features/doctor/index.js'),
    import('../../../features/import/index.js'),
  ]);
  const configFile = configFileOf(textOption(given, 'config'), context);
  const chosen = chosenChecks(checks, textOption(given, 'only'));
  const progress = openProgress(context.output, chosen.length);
  const { cwd, env, version, signal } = context;
  try {
    return await examine({
      cwd,
      env,
      version,
      signal,
      ...(configFile !== undefined && { configFile }),
      checks: chosen,
      storeSecretsCommand,
      isFixing,
      onProgress: (underWay, done) =>
        progress.show(
          underWay.map(({ title }) => title),
          done,
        ),
    });
  } finally {
    progress.close();
  }
}

function chosenChecks(checks: readonly Check[], only: string | undefined): readonly Check[] {
  if (only === undefined) return checks;
  const words = only.split(',').map((word) => word.trim());
  const isMeant = ({ id, group }: Check, word: string): boolean =>
    id === word || group === word || id.startsWith(`${word}.`);
  for (const word of words) {
    if (checks.some((check) => isMeant(check, word))) continue;
    const known = [...new Set(checks.flatMap(({ id, group }) => [id, group]))];
    const near = didYouMean(word, known);
    const message = `Unknown check: "${word}".${near} Available: ${known.join(', ')}.`;
    throw new Failure('usage.bad_value', message, 'tidegate doctor');
  }
  return checks.filter((check) => words.some((word) => isMeant(check, word)));
}
