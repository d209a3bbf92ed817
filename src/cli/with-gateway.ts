import type * as App from '../app/index.js';
import type { Tidegate, TidegateOptions } from '../app/index.js';
import { type Context, type Given, textOption } from './command.js';
import { Failure } from './failure.js';
import { configFileOf, problemLines } from './locate.js';
import { printable, shellWord } from '../config/index.js';
import { placeNotes } from './place-notes.js';

/** Opens the gateway for one piece of work, and always closes it. */
export async function withGateway<T>(
  given: Given,
  context: Context,
  mode: TidegateOptions['mode'],
  work: (tidegate: Tidegate) => Promise<T>,
): Promise<T> {
  const tidegate = await openGateway(given, context, mode);
  try {
    for (const line of problemLines(tidegate.problems)) context.output.note(line);
    if (textOption(given, 'config') === undefined) noteThePlace(context, mode);
    return await work(tidegate);
  } finally {
    await tidegate.close();
  }
}

/** In stdio mode, notes go to the log of the agent, so prefix them with the program name. */
function noteThePlace({ cwd, output }: Context, mode: TidegateOptions['mode']): void {
  for (const line of placeNotes(cwd)) output.note(mode === 'stdio' ? `tidegate: ${line}` : line);
}

async function openGateway(given: Given, context: Context, mode: TidegateOptions['mode']): Promise<Tidegate> {
  const { AccessRefused, ConfigRefused, openTidegate } = await import('../app/index.js');
  const configFile = configFileOf(textOption(given, 'config'), context);
  const { cwd, env, version } = context;
  const toolPatterns = patternsOf(given);
  const more = {
    ...(configFile !== undefined && { configFile }),
    ...(toolPatterns && { toolPatterns }),
    ...actorOf(given),
  };
  try {
    return await openTidegate({ cwd, env, version, mode, ...more });
  } catch (error) {
    throw openingFailure(error, configFile, { AccessRefused, ConfigRefused });
  }
}

type Refusals = Pick<typeof App, 'AccessRefused' | 'ConfigRefused'>;

/** Turns an error on opening the gateway into a failure with the next command. Bugs are rethrown unchanged. */
export function openingFailure(
  error: unknown,
  configFile: string | undefined,
  { AccessRefused, ConfigRefused }: Refusals,
): unknown {
  if (error instanceof AccessRefused) {
    return new Failure(error.code, `Nothing was started: ${error.message}`, nextAfter(error.code));
  }
  if (!(error instanceof ConfigRefused)) return error;
  const isOfPolicy = error.problems.some(({ code }) => code === 'profiles.changed');
  if (isOfPolicy) {
    const message = 'Nothing was started: the profiles or the model have changed since they were trusted.';
    return new Failure('config.invalid', message, 'tidegate trust', problemLines(error.problems));
  }
  // The problem is the state directory, not the configuration file.
  const ofState = error.problems.find(({ code }) => code.startsWith('state.'));
  if (ofState !== undefined) {
    const message = `Nothing was started: the state directory ${printable(ofState.file)} cannot be used. ${ofState.message}`;
    return new Failure(ofState.code, message, 'tidegate doctor --only home');
  }
  const onlyUnset = error.problems
    .filter(({ severity }) => severity === 'error')
    .map(({ variable }) => variable);
  const [first] = onlyUnset;
  if (first !== undefined && onlyUnset.every((name) => name !== undefined)) {
    const names = [...new Set(onlyUnset)];
    const message = `Nothing was started: ${names.join(', ')} ${names.length === 1 ? 'has' : 'have'} no value.`;
    return new Failure(
      'config.invalid',
      message,
      `tidegate secrets set ${shellWord(first)}`,
      problemLines(error.problems),
    );
  }
  const message = `Nothing was started: the configuration has errors.`;
  const next = `tidegate config check${configFile === undefined ? '' : ` ${shellWord(configFile)}`}`;
  return new Failure('config.invalid', message, next, problemLines(error.problems));
}

/** The principal to act as, and the profile that limits every session. */
export function actorOf(given: Given): Pick<TidegateOptions, 'as' | 'profile'> {
  const as = textOption(given, 'as');
  const profile = textOption(given, 'profile');
  const role = textOption(given, 'role');
  if (profile !== undefined && role !== undefined)
    throw new Failure('usage.exclusive', '--role is the same as --profile: use one of them.');
  const bound = profile ?? role;
  return { ...(as !== undefined && { as }), ...(bound !== undefined && { profile: bound }) };
}

function nextAfter(code: string): string | undefined {
  return code === 'access.unknown_profile' ? 'tidegate profile list' : undefined;
}

/** Rejects an empty list, which would offer no tools at all. */
export function patternsOf(given: Given, command = 'tidegate mcp'): readonly string[] | undefined {
  const text = textOption(given, 'tools');
  if (text === undefined) return undefined;
  const patterns = text.split(',').map((pattern) => pattern.trim());
  if (patterns.every((pattern) => /^!?[A-Za-z0-9_.*?/-]+$/.test(pattern))) return patterns;
  const message = `--tools takes names or patterns separated by commas, not "${text}".`;
  throw new Failure('usage.bad_value', message, `${command} --tools 'Read,github_*,!github_delete_*'`);
}

/** The command to run if servers were not started because their file is not trusted. */
export function trustHint({ trust, config }: Tidegate): string | undefined {
  if (trust.isTrusted || trust.file === undefined) return undefined;
  return config.servers.some((server) => server.isEnabled)
    ? `tidegate trust ${shellWord(trust.file)}`
    : undefined;
}

/** One line per workspace tool file that is not available. */
export function workspaceNotes(tidegate: Tidegate): readonly string[] {
  return tidegate
    .workspaceTools()
    .filter(({ state }) => state !== 'ready')
    .map(({ file, state, problem = state }) =>
      printable(state === 'untrusted' ? `${file}: ${problem}` : problem),
    );
}
