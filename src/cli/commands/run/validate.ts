import type { ValidateAnswer } from '../../../features/workflows/index.js';
import { printable } from '../../../config/index.js';
import { type Command, configOption, type Context, textOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { configFileOf } from '../../locate.js';
import { didYouMean } from '../../nearest-name.js';
import { openTidegate } from '../../open-tidegate.js';

export const validate: Command = {
  name: 'validate',
  summary: 'Check workflow files for problems without running them.',
  arguments: [
    {
      name: '[workflows...]',
      about: 'Files, folders or names. Default: all workflows in .tidegate/workflows and .awf/workflows.',
    },
  ],
  options: [
    configOption,
    { name: 'strict', about: 'Treat unknown keys as errors.' },
    { name: 'schema', about: 'Print the JSON Schema for workflow files, for use in editors, and exit.' },
    { name: 'skip-plugins', about: 'Do not use plugins; checks that need one are reported as skipped.' },
  ],
  examples: ['tidegate validate', 'tidegate validate deploy.yaml flows/ --json'],
  async run(given, context) {
    const { validateWorkflows, workflowJsonSchema } = await import('../../../features/workflows/index.js');
    if (given.options['schema'] === true) {
      const schema = workflowJsonSchema();
      context.output.json(schema);
      context.output.line(JSON.stringify(schema, undefined, 2));
      return exitCodes.ok;
    }
    const configFile = configFileOf(textOption(given, 'config'), context);
    const { cwd, env, signal, version } = context;
    const answer = await validateWorkflows(openTidegate, {
      version,
      cwd,
      env,
      signal,
      ...(configFile !== undefined && { configFile }),
      wanted: given.arguments,
      isStrict: given.options['strict'] === true,
      skipsPlugins: given.options['skip-plugins'] === true,
    });
    const isAbsent = answer.missing.length > 0;
    if (isAbsent && answer.results.length === 0) throw absent(answer);
    const code = await shown(answer, context);
    if (!isAbsent) return code;
    if (!context.output.isJson) throw absent(answer);
    return exitCodes.internal;
  },
};

/** Names all missing workflows; suggests a name for the first one. */
function absent({ missing, known }: ValidateAnswer): Failure {
  const [first = ''] = missing;
  const near = didYouMean(first, known);
  const all = near === '' && known.length > 0 ? ` Available: ${known.join(', ')}.` : near;
  const message = `No such workflow, file or folder: ${missing.map((name) => JSON.stringify(name)).join(', ')}.${all}`;
  return new Failure('workflow.not_found', message, 'tidegate validate');
}

async function shown({ results, missing }: ValidateAnswer, { output }: Context): Promise<number> {
  const { describeFinding } = await import('../../../features/workflows/index.js');
  const failed = results.filter(({ isValid }) => !isValid).length;
  output.json({
    valid: failed === 0 && missing.length === 0,
    ...(missing.length > 0 && { missing }),
    workflows: results.map(({ file, workflow, isValid, findings }) => ({
      file,
      workflow: workflow.name,
      valid: isValid,
      findings,
    })),
  });
  for (const { file, workflow, isValid, findings } of results) {
    // Color only the word: colored sentences are hard to read on some backgrounds.
    const painted = (word: 'error' | 'warning'): string =>
      output.paint(word === 'error' ? 'red' : 'yellow', word);
    for (const finding of findings) output.say(describeFinding(finding, painted));
    const word = isValid ? output.paint('green', 'valid') : output.paint('red', 'has errors');
    output.line(`${printable(workflow.name || file)}: ${word}`);
  }
  if (results.length === 0) output.note('No workflows found. Create one: .tidegate/workflows/<name>.yaml');
  else if (results.length > 1) {
    const words =
      failed === 0
        ? `All ${results.length} workflows are valid.`
        : `${failed} of ${results.length} workflows have errors.`;
    output.line(words);
  }
  return failed === 0 ? exitCodes.ok : exitCodes.usage;
}
