import { stackOf } from '../lib/error-message.js';
import { homeProblem } from '../config/index.js';
import type { Command, Context, Given } from './command.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { Failure, interrupted } from './failure.js';
import { failureOf } from './failure-of.js';

/** Runs one command, prints its error if it fails, and returns the exit status. */
export async function runCommand(command: Command, given: Given, context: Context): Promise<number> {
  const wasStopped = (): boolean => context.signal.aborted && command.isService !== true;
  try {
    refuseRelativeHome(context);
    const code = await command.run(given, context);
    return wasStopped() ? shown(interrupted(), context) : code;
  } catch (error) {
    return shown(wasStopped() ? interrupted() : await failureOf(error, command, given, context), context);
  }
}

/** Checked before anything is read or written there. */
function refuseRelativeHome({ env }: Context): void {
  const problem = homeProblem(env);
  if (problem !== undefined) throw new Failure(problem.code, problem.message, problem.remedy);
}

/** Prints an error. Anything but a `Failure` is a bug and is printed with its stack. */
export function shown(error: unknown, { output }: Context): ExitCode {
  if (error instanceof Failure) {
    const { code, message, next = `tidegate explain ${error.code}`, problems, exit } = error;
    output.error({ code, message, next, problems });
    return exit;
  }
  const text = stackOf(error);
  output.error({
    code: 'internal',
    message: text,
    next: 'this is a bug in Tidegate; report it with the text above',
  });
  return exitCodes.internal;
}
