import {
  openSecrets,
  printable,
  type Problem,
  type Secrets,
  shellWord,
  stateDirectory,
} from '../../../config/index.js';
import type { Command, Context } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';

const nameArgument = {
  name: '<name>',
  about: 'Name used in tidegate.yaml, such as GITHUB_TOKEN.',
};

export const secretsSet: Command = {
  name: 'secrets set',
  summary:
    'Store a value for ${NAME} in tidegate.yaml. An environment variable with that name takes precedence.',
  arguments: [nameArgument],
  examples: ['tidegate secrets set GITHUB_TOKEN', 'pass show github | tidegate secrets set GITHUB_TOKEN'],
  async run(given, context) {
    const name = nameOf(given.arguments[0]);
    const { input, output } = context;
    const typed = input.isTerminal ? await input.ask(`Value for ${name}: `, true) : await input.readAll();
    // Drop the line break that a terminal or password manager adds.
    const value = typed.replace(/\r?\n$/, '');
    if (value === '')
      throw new Failure(
        'usage.missing_argument',
        'Nothing was stored: the value is empty.',
        `tidegate secrets set ${shellWord(name)}`,
      );
    refuse(secretsOf(context).keep({ [name]: value }));
    output.json({ name, kept: true });
    output.line(`Stored ${name}.`);
    return exitCodes.ok;
  },
};

export const secretsList: Command = {
  name: 'secrets list',
  summary: 'List the names of stored secrets. Values are never shown.',
  examples: ['tidegate secrets list'],
  run(_, context) {
    const secrets = secretsOf(context);
    refuse(secrets.problem());
    const names = secrets.names();
    context.output.json({ file: secrets.file, names });
    for (const name of names) {
      const isHidden = context.env[name] !== undefined;
      context.output.line(
        `${printable(name)}${isHidden ? '  (overridden by the environment variable)' : ''}`,
      );
    }
    if (names.length === 0)
      context.output.note('No secrets stored. Store one: tidegate secrets set GITHUB_TOKEN');
    return Promise.resolve(exitCodes.ok);
  },
};

export const secretsForget: Command = {
  name: 'secrets forget',
  summary: 'Delete a stored secret.',
  arguments: [nameArgument],
  examples: ['tidegate secrets forget GITHUB_TOKEN'],
  run(given, context) {
    const name = nameOf(given.arguments[0]);
    const secrets = secretsOf(context);
    refuse(secrets.problem());
    if (secrets.valueOf(name) === undefined)
      throw new Failure(
        'secrets.not_found',
        `No secret is stored for ${printable(name)}.`,
        'tidegate secrets list',
      );
    refuse(secrets.keep({ [name]: undefined }));
    context.output.json({ name, kept: false });
    context.output.line(`Deleted ${name}.`);
    return Promise.resolve(exitCodes.ok);
  },
};

function secretsOf({ env }: Context): Secrets {
  return openSecrets(stateDirectory(env));
}

function nameOf(text = ''): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return text;
  // Do not echo it: it may be the secret itself, typed in the wrong place.
  throw new Failure(
    'usage.bad_value',
    'A name may contain only letters, digits and _.',
    'tidegate secrets set GITHUB_TOKEN',
  );
}

function refuse(problem: Problem | undefined): void {
  if (problem !== undefined) throw new Failure(problem.code, problem.message, problem.remedy);
}
