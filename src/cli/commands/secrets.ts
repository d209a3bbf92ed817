import { openSecrets, printable, type Problem, type Secrets, stateDirectory } from '../../config/index.js';
import type { Command, Context } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { Failure } from '../failure.js';

const nameArgument = {
  name: '<name>',
  about: 'The name that tidegate.yaml refers to, such as GITHUB_TOKEN.',
};

export const secretsSet: Command = {
  name: 'secrets set',
  summary: 'Keep a value for ${NAME} of tidegate.yaml, for when the environment does not have it.',
  arguments: [nameArgument],
  examples: ['tidegate secrets set GITHUB_TOKEN', 'pass show github | tidegate secrets set GITHUB_TOKEN'],
  async run(given, context) {
    const name = nameOf(given.arguments[0]);
    const { input, output } = context;
    const typed = input.isTerminal ? await input.ask(`Value of ${name}: `, true) : await input.readAll();
    // One line, as a person or a password manager gives it.
    const value = typed.replace(/\r?\n$/, '');
    if (value === '')
      throw new Failure(
        'usage.missing_argument',
        'Nothing was kept: there was no value.',
        `tidegate secrets set ${name}`,
      );
    refuse(secretsOf(context).keep({ [name]: value }));
    output.json({ name, kept: true });
    output.line(`Kept ${name}.`);
    return exitCodes.ok;
  },
};

export const secretsList: Command = {
  name: 'secrets list',
  summary: 'List the names of the values that are kept, and never the values.',
  examples: ['tidegate secrets list'],
  run(_, context) {
    const secrets = secretsOf(context);
    refuse(secrets.problem());
    const names = secrets.names();
    context.output.json({ file: secrets.file, names });
    for (const name of names) {
      const isHidden = context.env[name] !== undefined;
      context.output.line(`${printable(name)}${isHidden ? '  (the environment has it too, and wins)' : ''}`);
    }
    if (names.length === 0)
      context.output.note('No values are kept. Keep one: tidegate secrets set GITHUB_TOKEN');
    return Promise.resolve(exitCodes.ok);
  },
};

export const secretsForget: Command = {
  name: 'secrets forget',
  summary: 'Forget a value that was kept.',
  arguments: [nameArgument],
  examples: ['tidegate secrets forget GITHUB_TOKEN'],
  run(given, context) {
    const name = nameOf(given.arguments[0]);
    const secrets = secretsOf(context);
    refuse(secrets.problem());
    if (secrets.valueOf(name) === undefined)
      throw new Failure(
        'secrets.not_found',
        `No value is kept for ${printable(name)}.`,
        'tidegate secrets list',
      );
    refuse(secrets.keep({ [name]: undefined }));
    context.output.json({ name, kept: false });
    context.output.line(`Forgot ${name}.`);
    return Promise.resolve(exitCodes.ok);
  },
};

function secretsOf({ env }: Context): Secrets {
  return openSecrets(stateDirectory(env));
}

function nameOf(text = ''): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return text;
  // It may be the value itself, typed in the wrong place.
  throw new Failure(
    'usage.bad_value',
    'A name has letters, digits and _ only.',
    'tidegate secrets set GITHUB_TOKEN',
  );
}

function refuse(problem: Problem | undefined): void {
  if (problem !== undefined) throw new Failure(problem.code, problem.message, problem.remedy);
}
