import { relative } from 'node:path';
import { stateDirectory } from '../config/index.js';
import { type Command, type Context, type Given, textOption } from './command.js';
import { Failure } from './failure.js';
import { shellPath } from './shell-path.js';
import { openingFailure } from './with-gate.js';

/** What a person can mend is told as such, wherever it came up. The rest stays what it is: a defect. */
export async function failureOf(
  error: unknown,
  command: Command,
  given: Given,
  context: Context,
): Promise<unknown> {
  if (error instanceof Failure) return withRemedy(retold(error, command, given));
  const unwritable = unwritableFailure(error, context);
  if (unwritable !== undefined) return unwritable;
  const opening = openingFailure(error, textOption(given, 'config'), await import('../app/index.js'));
  return opening instanceof Failure ? withRemedy(retold(opening, command, given)) : opening;
}

/** Who reports it may know nothing better than the table says. */
async function withRemedy(failure: Failure): Promise<Failure> {
  const { code, message, next, problems } = failure;
  if (next !== undefined) return failure;
  const { knownCodes } = await import('../app/known-codes.js');
  const known = knownCodes().find((row) => row.code === code);
  return new Failure(code, message, known?.remedy, problems);
}

const unwritableCodes = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOSPC', 'EDQUOT'];

/** A folder that may not be written, or a disk that is full. */
function unwritableFailure(error: unknown, { env }: Context): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', path, message } = error as NodeJS.ErrnoException;
  if (!unwritableCodes.includes(code) || path === undefined) return undefined;
  const isState = !relative(stateDirectory(env), path).startsWith('..');
  if (!isState) return new Failure('file.unwritable', `It cannot be written: ${message}.`);
  const next = 'Make it writable, or choose another one with TIDEGATE_HOME.';
  return new Failure('state.unwritable', `The state directory cannot be written: ${message}.`, next);
}

const principalCodes: readonly string[] = ['access.bad_principal', 'token.bad_principal'];

/** What the desks refuse they tell without knowing which command was typed. */
function retold(failure: Failure, command: Command, given: Given): Failure {
  const { code, message, problems } = failure;
  const next =
    code === 'access.bad_request'
      ? `tidegate ${command.name} --help`
      : principalCodes.includes(code)
        ? withPrincipal(failure, command, given)
        : undefined;
  return next === undefined ? failure : new Failure(code, message, next, problems);
}

/** The line as it would be right. Whoever left out the kind of a principal most often means an agent. */
function withPrincipal({ next = '' }: Failure, { name }: Command, given: Given): string | undefined {
  const [first] = given.arguments;
  const typed = [textOption(given, 'as'), textOption(given, 'principal'), first];
  const wrong = typed.find((word) => word !== undefined && !/^(agent|user|service|role):./.test(word)) ?? '';
  const bare = /^[\w.-]+$/.test(wrong) ? `agent:${wrong}` : undefined;
  const meant = /^did you mean (\S+)\?$/.exec(next)?.[1] ?? bare;
  if (meant === undefined || hasSecret(given)) return undefined;
  const mended = (word: string): string => shellPath(word === wrong ? meant : word);
  const options = Object.entries(given.options).flatMap(([option, value]) =>
    value === undefined ? [] : [`--${option}`, ...(value === true ? [] : [mended(value)])],
  );
  return [`tidegate ${name}`, ...given.arguments.map(mended), ...options].join(' ');
}

/** Whether a secret was typed, in its place or in another one: it is not shown again. */
function hasSecret({ arguments: words, options }: Given): boolean {
  if (options['token'] !== undefined) return true;
  return [...words, ...Object.values(options)].some(
    (word) => typeof word === 'string' && /^(?:tgt?_|[\w-]{30,}$)/.test(word),
  );
}
