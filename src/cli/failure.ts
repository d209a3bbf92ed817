import type { ProblemCode } from '../config/index.js';
import type { AdminCode, IdentityCode } from '../features/admin/index.js';
import {
  type ExitCode,
  exitCodes,
  exitOfAdmin,
  exitOfFault,
  exitOfHttp,
  exitOfIdentity,
  type Fault,
} from './exit-codes.js';
import { type CommandCode, commandCodes } from './command-codes.js';

export type FailureCode = CommandCode | AdminCode | IdentityCode | Fault['code'] | ProblemCode;

/** Why a command failed, and what to do next. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly next: string | undefined;
  readonly problems: readonly string[] | undefined;

  constructor(code: FailureCode, message: string, next?: string, problems?: readonly string[]) {
    super(message);
    this.code = code;
    const suggestion = next ?? (isCommandCode(code) ? commandCodes[code].remedy : undefined);
    this.next = suggestion && asTyped(suggestion);
    this.problems = problems;
  }

  get exit(): ExitCode {
    return exitOf(this.code);
  }
}

/** Reduces a remedy that ends with a single command to that command, ready to paste. */
function asTyped(remedy: string): string {
  return /^[^`]*`(tidegate [^`<]+)`\.$/.exec(remedy)?.[1] ?? remedy;
}

/** The exit status for a code. */
export function exitOf(code: FailureCode): ExitCode {
  if (isCommandCode(code)) return commandCodes[code].exit;
  if (isIn(exitOfFault, code)) return exitOfFault[code];
  if (isIn(exitOfAdmin, code)) return exitOfAdmin[code];
  if (isIn(exitOfIdentity, code)) return exitOfIdentity[code];
  if (isIn(exitOfHttp, code)) return exitOfHttp[code];
  if (code.startsWith('model.')) return exitCodes.usage;
  // A problem with the trust records leaves everything untrusted.
  return code.startsWith('config.') ? exitCodes.usage : exitCodes.untrusted;
}

function isCommandCode(code: string): code is CommandCode {
  return isIn(commandCodes, code);
}

function isIn<Code extends string>(table: Readonly<Record<Code, unknown>>, code: string): code is Code {
  return Object.hasOwn(table, code);
}

export function interrupted(): Failure {
  return new Failure('call.cancelled', 'Interrupted.');
}
