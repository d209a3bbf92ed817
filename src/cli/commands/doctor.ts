import type { Check, Examination } from '../../app/doctor/index.js';
import { type Command, configOption, type Context, type Given, textOption } from '../command.js';
import { doctorAgents } from '../doctor-agents.js';
import { openProgress } from '../doctor-progress.js';
import { jsonOf, showExamination } from '../doctor-view.js';
import { exitCodes } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { configFileOf } from '../locate.js';
import { didYouMean } from '../nearest-name.js';

export const doctor: Command = {
  name: 'doctor',
  summary:
    'Look whether everything is well: machine, state, configuration, servers, store, agents; mend what is safe.',
  options: [
    configOption,
    { name: 'fix', about: 'Mend what is safe to mend, and show what was done. Trusts and installs nothing.' },
    {
      name: 'only',
      value: 'checks',
      about: 'Only these, divided by commas: names of checks or groups, such as servers,home.',
    },
    {
      name: 'agent',
      value: 'name',
      about: 'Try this agent with a model that makes rogue calls: claude, gemini, codex, opencode or all.',
    },
    {
      name: 'model',
      value: 'name',
      about: 'With --agent: the model whose tools are tried. Default: one that the agent knows.',
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
      throw new Failure('usage.exclusive', '--agent tries agents alone.', `tidegate doctor --agent ${agent}`);
    if (agent !== undefined) return doctorAgents(agent, given, context);
    const examination = await examined(given, context, isFixing);
    if (context.signal.aborted) return exitCodes.interrupted;
    const app = await import('../../app/doctor/index.js');
    context.output.json(jsonOf(examination, app));
    showExamination(examination, context.output, app);
    const hasFailed = examination.examined.some(({ findings }) => app.worstOf(findings) === 'fail');
    return hasFailed ? exitCodes.unavailable : exitCodes.ok;
  },
};

async function examined(given: Given, context: Context, isFixing: boolean): Promise<Examination> {
  const { checks, examine } = await import('../../app/doctor/index.js');
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
    const message = `There is no check "${word}".${near} Known: ${known.join(', ')}.`;
    throw new Failure('usage.bad_value', message, 'tidegate doctor');
  }
  return checks.filter((check) => words.some((word) => isMeant(check, word)));
}
