import type { Tidegate, TidegateOptions } from '../app/index.js';
import { type Context, type Given, textOption } from './command.js';
import { Failure } from './failure.js';
import { configFileOf, problemLines } from './locate.js';
import { shellPath } from './shell-path.js';

/** Opens the gate of this place for the time of some work, and closes it whatever happens. */
export async function withGate<T>(
  given: Given,
  context: Context,
  mode: TidegateOptions['mode'],
  work: (tidegate: Tidegate) => Promise<T>,
): Promise<T> {
  const tidegate = await openGate(given, context, mode);
  try {
    for (const line of problemLines(tidegate.problems)) context.output.note(line);
    return await work(tidegate);
  } finally {
    await tidegate.close();
  }
}

async function openGate(given: Given, context: Context, mode: TidegateOptions['mode']): Promise<Tidegate> {
  const { ConfigRefused, openTidegate } = await import('../app/index.js');
  const configFile = configFileOf(textOption(given, 'config'), context);
  const { cwd, env, version } = context;
  try {
    return await openTidegate({ cwd, env, version, mode, ...(configFile !== undefined && { configFile }) });
  } catch (error) {
    if (!(error instanceof ConfigRefused)) throw error;
    const message = `Nothing was started: the configuration has errors.`;
    const next = `correct them, then: tidegate config check${configFile === undefined ? '' : ` ${shellPath(configFile)}`}`;
    throw new Failure('config.invalid', message, next, problemLines(error.problems));
  }
}

/** What to type when servers were left out because their file is not trusted. */
export function trustHint({ trust, config }: Tidegate): string | undefined {
  if (trust.isTrusted || trust.file === undefined) return undefined;
  return config.servers.some((server) => server.isEnabled)
    ? `tidegate trust ${shellPath(trust.file)}`
    : undefined;
}
