import { type ExitCode, exitCodes } from './exit-codes.js';

/** Why a command did not do what was asked, and what to type next. */
export class Failure extends Error {
  readonly code: string;
  readonly exit: ExitCode;
  readonly next: string | undefined;
  readonly problems: readonly string[] | undefined;

  constructor(exit: ExitCode, code: string, message: string, next?: string, problems?: readonly string[]) {
    super(message);
    this.problems = problems;
    this.exit = exit;
    this.code = code;
    this.next = next;
  }
}

export function usage(code: string, message: string, next?: string): Failure {
  return new Failure(exitCodes.usage, `usage.${code}`, message, next);
}

export function interrupted(): Failure {
  return new Failure(exitCodes.interrupted, 'call.cancelled', 'Interrupted.');
}
