import type { ProblemCode } from '../config/index.js';
import type { DeskCode } from '../app/desk.js';
import type { IdentityCode } from '../app/open-token-desk.js';
import {
  type ExitCode,
  exitCodes,
  exitOfDesk,
  exitOfFault,
  exitOfHttp,
  exitOfIdentity,
  type Fault,
} from './exit-codes.js';
import { importCodes } from './import-codes.js';

interface CodeRow {
  readonly exit: ExitCode;
  readonly meaning: string;
  /** What to do when the place that reports it knows nothing better. */
  readonly remedy: string;
}

/** What can go wrong with a command itself. Codes never change once released. */
export const commandCodes = {
  'usage.unknown_command': {
    exit: exitCodes.usage,
    meaning: 'There is no such command.',
    remedy: 'See what there is: `tidegate --help`.',
  },
  'usage.unknown_option': {
    exit: exitCodes.usage,
    meaning: 'The command has no such option.',
    remedy: "See the command's options: add `--help` to it.",
  },
  'usage.missing_argument': {
    exit: exitCodes.usage,
    meaning: 'An argument or the value of an option is missing.',
    remedy: 'See what the command takes: add `--help` to it.',
  },
  'usage.excess_arguments': {
    exit: exitCodes.usage,
    meaning: 'There are more arguments than the command takes.',
    remedy: 'Put a text with spaces in quotes; `--help` says what the command takes.',
  },
  'usage.bad_value': {
    exit: exitCodes.usage,
    meaning: 'The value of an option is not one that it takes.',
    remedy: 'Give a value that the message names.',
  },
  'usage.bad_arguments': {
    exit: exitCodes.usage,
    meaning: 'The arguments for a tool are not a JSON object.',
    remedy:
      'Write them as JSON in single quotes, or as `name=value`; `tidegate tools show <tool>` says what it takes.',
  },
  'usage.exclusive': {
    exit: exitCodes.usage,
    meaning: 'Two options exclude each other.',
    remedy: 'Leave one of the two out.',
  },
  'file.not_found': {
    exit: exitCodes.notFound,
    meaning: 'The named file does not exist.',
    remedy: 'Correct the path.',
  },
  'file.unwritable': {
    exit: exitCodes.unavailable,
    meaning: 'A file, a folder or the output of the command cannot be written.',
    remedy: 'Correct the permissions or make space, then try again.',
  },
  'code.not_found': {
    exit: exitCodes.notFound,
    meaning: 'There is no such code.',
    remedy: 'All of them stand in docs/reference/errors.md and docs/reference/workflow.md.',
  },
  'config.not_found': {
    exit: exitCodes.notFound,
    meaning: 'There is no configuration file here, above, or at home.',
    remedy: 'Name it with `--config <file>`; `tidegate init` makes one.',
  },
  'config.invalid': {
    exit: exitCodes.usage,
    meaning: 'The configuration has errors, so nothing was done.',
    remedy: 'Correct what the problems name, then look again: `tidegate config check`.',
  },
  'run.not_found': {
    exit: exitCodes.internal,
    meaning: 'There is no run of that id.',
    remedy: 'Look for its id: `tidegate runs list`.',
  },
  'run.broken': {
    exit: exitCodes.internal,
    meaning: 'The record of the run is not what a run writes.',
    remedy: 'Start the workflow anew with `tidegate run`; what the run did before stays as it is.',
  },
  'run.busy': {
    exit: exitCodes.usage,
    meaning: 'Another process runs it just now.',
    remedy: 'Wait until it has ended, or stop the process that the message names.',
  },
  'workflow.invalid': {
    exit: exitCodes.usage,
    meaning: 'The workflow has errors, so nothing was started.',
    remedy: 'Correct what the problems name, then look again: `tidegate validate <file>`.',
  },
  'workflow.inputs': {
    exit: exitCodes.internal,
    meaning: 'Inputs of the workflow are missing or wrong.',
    remedy: 'Give each that the message names with `-i name=value`.',
  },
  'workflow.no_step': {
    exit: exitCodes.internal,
    meaning: 'The workflow has no such step.',
    remedy: 'Use the name of a step; `tidegate run <file> --dry-run` shows them.',
  },
  'workflow.not_found': {
    exit: exitCodes.internal,
    meaning: 'There is no workflow of that name or path.',
    remedy: 'Correct the name or path; workflows are looked for in `.tidegate/workflows`.',
  },
  'tool.no_graph': {
    exit: exitCodes.usage,
    meaning: 'The tool is not made of nodes.',
    remedy: 'Show it without `--graph`.',
  },
  'tool.exists': {
    exit: exitCodes.usage,
    meaning: 'A file of that name is there already.',
    remedy: 'Choose another name, or remove the file.',
  },
  'agent.not_found': {
    exit: exitCodes.notFound,
    meaning: 'No agent of that name can be launched.',
    remedy: 'See which there are: `tidegate doctor`.',
  },
  'agent.undoing': {
    exit: exitCodes.usage,
    meaning: 'A word for the agent would undo its isolation.',
    remedy: 'Leave the word out; the message says what is taken.',
  },
  'agent.leaks': {
    exit: exitCodes.unavailable,
    meaning: 'The agent can go round the gate.',
    remedy: 'See how: `tidegate doctor --agent <name>`; another version of the agent may be tight.',
  },
  'agent.failed': {
    exit: exitCodes.unavailable,
    meaning: 'The agent could not be started.',
    remedy: 'See whether it works at all: `tidegate doctor --agent <name>`.',
  },
  'agent.not_installed': {
    exit: exitCodes.unavailable,
    meaning: 'The agent is not on PATH.',
    remedy: 'Install it as the message says, and see whether it is found: `tidegate doctor`.',
  },
  'server.not_found': {
    exit: exitCodes.notFound,
    meaning: 'No server of that name is configured.',
    remedy: 'See which there are: `tidegate servers`.',
  },
  'login.no_http': {
    exit: exitCodes.usage,
    meaning: 'The server is no HTTP server: there is no login to it.',
    remedy: 'Give it what it needs under `env` in `tidegate.yaml`.',
  },
  'login.has_header': {
    exit: exitCodes.usage,
    meaning: 'The configuration shows an Authorization header to the server: that is its login.',
    remedy: 'Take the header out of `headers` to log in instead.',
  },
  'login.none': {
    exit: exitCodes.usage,
    meaning: 'The server wants no login, or says nowhere how to log in.',
    remedy: 'Where the server takes a token of another kind, write it under `headers` in `tidegate.yaml`.',
  },
  'login.unfit': {
    exit: exitCodes.unavailable,
    meaning: 'The server or its authorization server does not do what a safe login needs.',
    remedy: 'Tell who runs the server; a token of yours can stand under `headers` meanwhile.',
  },
  'login.unreachable': {
    exit: exitCodes.unavailable,
    meaning: 'The server or its authorization server could not be reached, or gave no answer in time.',
    remedy: 'See whether its address is right and it runs: `tidegate servers`.',
  },
  'login.denied': {
    exit: exitCodes.unauthorized,
    meaning: 'The authorization server, or the person at the browser, said no.',
    remedy: 'Try again with an account that may: `tidegate login <server>`.',
  },
  'login.late': {
    exit: exitCodes.unavailable,
    meaning: 'Nobody came back from the browser in time.',
    remedy: 'Try again: `tidegate login <server>`; with `--no-browser` the browser may be elsewhere.',
  },
  'login.callback': {
    exit: exitCodes.unavailable,
    meaning: 'The way back from the browser is taken, or what came back does not belong to this login.',
    remedy: 'Try again: `tidegate login <server>`.',
  },
  'plugin.not_found': {
    exit: exitCodes.notFound,
    meaning: 'There is no plugin of that name here.',
    remedy: 'See which there are: `tidegate plugin list`.',
  },
  'plugin.no_operation': {
    exit: exitCodes.notFound,
    meaning: 'The plugin has no such operation.',
    remedy: 'See which it has: `tidegate plugin show <name>`.',
  },
  'plugin.collision': {
    exit: exitCodes.unavailable,
    meaning: 'A tool of the plugin has the name of another tool, so none of its tools is offered.',
    remedy: 'Rename one of the two tools, or switch one plugin off: `tidegate plugin disable <name>`.',
  },
  'plugin.broken': {
    exit: exitCodes.usage,
    meaning: 'The plugin cannot be used as it is: its manifest, its program or its settings are wrong.',
    remedy: 'Correct what the message names, then look again: `tidegate plugin show <name>`.',
  },
  'plugin.disabled': {
    exit: exitCodes.unavailable,
    meaning: 'The plugin is switched off.',
    remedy: 'Switch it on: `tidegate plugin enable <name>`.',
  },
  'plugin.exists': {
    exit: exitCodes.usage,
    meaning: 'A plugin of that name is there already.',
    remedy: 'Choose another name, or remove the folder.',
  },
  'http.port_in_use': {
    exit: exitCodes.usage,
    meaning: 'Another program listens on the port.',
    remedy: 'Choose another port with `--port`, or stop the other program.',
  },
  'http.cannot_listen': {
    exit: exitCodes.usage,
    meaning: 'The address is not one of this machine, or not allowed.',
    remedy: 'Listen on 127.0.0.1, or on an address of this machine.',
  },
  'gate.unreachable': {
    exit: exitCodes.unavailable,
    meaning: 'No gate ever answered at the address of `--via`.',
    remedy: 'Start one: `tidegate serve`; or correct the address.',
  },
  'gate.token_refused': {
    exit: exitCodes.unauthorized,
    meaning: 'The gate at the address of `--via` does not take the token, or takes it no longer.',
    remedy: 'Make a new one where that gate runs: `tidegate token create --as <principal>`.',
  },
  'trust.not_asked': {
    exit: exitCodes.untrusted,
    meaning: 'Trust needs a person at a terminal, or `--yes`.',
    remedy: 'Read the file, then add `--yes`; or type the command at a terminal.',
  },
  'trust.refused': {
    exit: exitCodes.untrusted,
    meaning: 'The person at the terminal said no.',
    remedy: 'Nothing was changed. Run `tidegate trust` again when you have read the file.',
  },
  'trust.changed': {
    exit: exitCodes.untrusted,
    meaning: 'The file changed while it was being shown.',
    remedy: 'Read it again: `tidegate trust`.',
  },
  ...importCodes,
  'store.unavailable': {
    exit: exitCodes.unavailable,
    meaning: 'The store of grants cannot be reached or opened.',
    remedy: 'See why: `tidegate doctor`; the address stands under `store` in tidegate.yaml.',
  },
  'store.corrupt': {
    exit: exitCodes.unavailable,
    meaning: 'The store of grants is damaged. Nothing is let through until it is mended.',
    remedy:
      'Put a copy back, or move the file away and bring the grants in again: `tidegate access import <file>`.',
  },
  'store.full': {
    exit: exitCodes.unavailable,
    meaning: 'There is no space left for the store of grants.',
    remedy: 'Make space, then try again.',
  },
  'store.newer_schema': {
    exit: exitCodes.unavailable,
    meaning: 'A newer version of Tidegate wrote the store: use that one.',
    remedy: 'Install the newer version again.',
  },
  'store.conflict': {
    exit: exitCodes.unavailable,
    meaning: 'Somebody else changed the grants meanwhile: look, and try again.',
    remedy: 'Look, and try again.',
  },
  'store.closed': {
    exit: exitCodes.internal,
    meaning: 'The store of grants was closed while it was in use.',
    remedy: 'Try again; report it if it comes back.',
  },
} as const satisfies Readonly<Record<string, CodeRow>>;

export type CommandCode = keyof typeof commandCodes;
export type FailureCode = CommandCode | DeskCode | IdentityCode | Fault['code'] | ProblemCode;

/** Why a command did not do what was asked, and what to type next. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly next: string | undefined;
  readonly problems: readonly string[] | undefined;

  constructor(code: FailureCode, message: string, next?: string, problems?: readonly string[]) {
    super(message);
    this.code = code;
    const told = next ?? (isCommandCode(code) ? commandCodes[code].remedy : undefined);
    this.next = told && asTyped(told);
    this.problems = problems;
  }

  get exit(): ExitCode {
    return exitOf(this.code);
  }
}

/** A remedy that comes down to one command is that command, ready to be pasted. */
function asTyped(remedy: string): string {
  return /^[^`]*`(tidegate [^`<]+)`\.$/.exec(remedy)?.[1] ?? remedy;
}

/** The exit status that a code ends a command with. */
export function exitOf(code: FailureCode): ExitCode {
  if (isCommandCode(code)) return commandCodes[code].exit;
  if (isIn(exitOfFault, code)) return exitOfFault[code];
  if (isIn(exitOfDesk, code)) return exitOfDesk[code];
  if (isIn(exitOfIdentity, code)) return exitOfIdentity[code];
  if (isIn(exitOfHttp, code)) return exitOfHttp[code];
  if (code.startsWith('model.')) return exitCodes.usage;
  // What is wrong with the record of trust leaves everything untrusted.
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
