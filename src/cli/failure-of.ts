import { relative } from 'node:path';
import { shellWord, stateDirectory } from '../config/index.js';
import { type Command, type Context, type Given, textOption } from './command.js';
import { Failure } from './failure.js';
import { openingFailure } from './with-gateway.js';

/** Turns errors that the user can fix into failures. Any other error is a bug and is returned unchanged. */
export async function failureOf(
  error: unknown,
  command: Command,
  given: Given,
  context: Context,
): Promise<unknown> {
  if (error instanceof Failure) return withRemedy(withContext(error, command, given));
  const unwritable = unwritableFailure(error, context);
  if (unwritable !== undefined) return unwritable;
  const opening = openingFailure(error, textOption(given, 'config'), await import('../app/index.js'));
  return opening instanceof Failure ? withRemedy(withContext(opening, command, given)) : opening;
}

/** Falls back to the remedy from the code table. */
async function withRemedy(failure: Failure): Promise<Failure> {
  const { code, message, next, problems } = failure;
  if (next !== undefined) return failure;
  const { knownCodes } = await import('../app/known-codes.js');
  const known = knownCodes().find((row) => row.code === code);
  return new Failure(code, message, known?.remedy, problems);
}

const unwritableCodes = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOSPC', 'EDQUOT'];

/** A folder without write permission, or a full disk. */
function unwritableFailure(error: unknown, { env }: Context): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', path, message } = error as NodeJS.ErrnoException;
  if (!unwritableCodes.includes(code) || path === undefined) return undefined;
  const isState = !relative(stateDirectory(env), path).startsWith('..');
  if (!isState) return new Failure('file.unwritable', `Cannot write: ${message}.`);
  const next = 'Make it writable, or set TIDEGATE_HOME to another directory.';
  return new Failure('state.unwritable', `Cannot write to the state directory: ${message}.`, next);
}

const principalCodes: readonly string[] = ['access.bad_principal', 'token.bad_principal'];

/** The admin service does not know the command, so complete its suggestions here. */
function withContext(failure: Failure, command: Command, given: Given): Failure {
  const { code, message, problems } = failure;
  const next =
    code === 'access.bad_request'
      ? `tidegate ${command.name} --help`
      : principalCodes.includes(code)
        ? withPrincipal(failure, command, given)
        : undefined;
  return next === undefined ? failure : new Failure(code, message, next, problems);
}

/** The corrected command line. A principal without a kind is most likely an agent. */
function withPrincipal({ next = '' }: Failure, { name }: Command, given: Given): string | undefined {
  const [first] = given.arguments;
  const typed = [textOption(given, 'as'), textOption(given, 'principal'), first];
  const wrong = typed.find((word) => word !== undefined && !/^(agent|user|service|role):./.test(word)) ?? '';
  const bare = /^[\w.-]+$/.test(wrong) ? `agent:${wrong}` : undefined;
  const meant = /^did you mean (\S+)\?$/i.exec(next)?.[1] ?? bare;
  if (meant === undefined || hasSecret(given)) return undefined;
  const corrected = (word: string): string => shellWord(word === wrong ? meant : word);
  const options = Object.entries(given.options).flatMap(([option, value]) =>
    value === undefined ? [] : [`--${option}`, ...(value === true ? [] : [corrected(value)])],
  );
  return [`tidegate ${name}`, ...given.arguments.map(corrected), ...options].join(' ');
}

/** Whether the command line contains a secret, which must not be repeated. */
function hasSecret({ arguments: words, options }: Given): boolean {
  if (options['token'] !== undefined) return true;
  return [...words, ...Object.values(options)].some(
    (word) => typeof word === 'string' && /^(?:tgt?_|[\w-]{30,}$)/.test(word),
  );
}
