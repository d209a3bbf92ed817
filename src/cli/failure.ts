import type { ProblemCode } from '../config/index.js';
import type { DeskCode } from '../app/desk.js';
import { type ExitCode, exitCodes, exitOfDesk, exitOfFault, type Fault } from './exit-codes.js';

interface CodeRow {
  readonly exit: ExitCode;
  readonly meaning: string;
}

/** What can go wrong with a command itself. Codes never change once released. */
export const commandCodes = {
  'usage.unknown_command': { exit: exitCodes.usage, meaning: 'There is no such command.' },
  'usage.unknown_option': { exit: exitCodes.usage, meaning: 'The command has no such option.' },
  'usage.missing_argument': {
    exit: exitCodes.usage,
    meaning: 'An argument or the value of an option is missing.',
  },
  'usage.excess_arguments': {
    exit: exitCodes.usage,
    meaning: 'There are more arguments than the command takes.',
  },
  'usage.bad_value': { exit: exitCodes.usage, meaning: 'The value of an option is not one that it takes.' },
  'usage.bad_arguments': {
    exit: exitCodes.usage,
    meaning: 'The arguments for a tool are not a JSON object.',
  },
  'usage.exclusive': { exit: exitCodes.usage, meaning: 'Two options exclude each other.' },
  'usage.wrong': { exit: exitCodes.usage, meaning: 'The command was typed in another way than it takes.' },
  'file.not_found': { exit: exitCodes.notFound, meaning: 'The named file does not exist.' },
  'config.not_found': {
    exit: exitCodes.notFound,
    meaning: 'There is no configuration file here, above, or at home.',
  },
  'config.invalid': { exit: exitCodes.usage, meaning: 'The configuration has errors, so nothing was done.' },
  'run.not_found': { exit: exitCodes.internal, meaning: 'There is no run of that id.' },
  'run.broken': { exit: exitCodes.internal, meaning: 'The record of the run is not what a run writes.' },
  'run.busy': { exit: exitCodes.usage, meaning: 'Another process runs it just now.' },
  'workflow.invalid': { exit: exitCodes.usage, meaning: 'The workflow has errors, so nothing was started.' },
  'workflow.inputs': { exit: exitCodes.internal, meaning: 'Inputs of the workflow are missing or wrong.' },
  'workflow.no_step': { exit: exitCodes.internal, meaning: 'The workflow has no such step.' },
  'workflow.not_found': { exit: exitCodes.internal, meaning: 'There is no workflow of that name or path.' },
  'tool.no_graph': { exit: exitCodes.usage, meaning: 'The tool is not made of nodes.' },
  'tool.exists': { exit: exitCodes.usage, meaning: 'A file of that name is there already.' },
  'agent.not_found': { exit: exitCodes.notFound, meaning: 'No agent of that name can be launched.' },
  'agent.undoing': { exit: exitCodes.usage, meaning: 'A word for the agent would undo its isolation.' },
  'agent.leaks': { exit: exitCodes.unavailable, meaning: 'The agent can go round the gate.' },
  'agent.not_installed': { exit: exitCodes.unavailable, meaning: 'The agent is not on PATH.' },
  'server.not_found': { exit: exitCodes.notFound, meaning: 'No server of that name is configured.' },
  'plugin.not_found': { exit: exitCodes.notFound, meaning: 'There is no plugin of that name here.' },
  'plugin.no_operation': { exit: exitCodes.notFound, meaning: 'The plugin has no such operation.' },
  'plugin.collision': {
    exit: exitCodes.unavailable,
    meaning: 'A tool of the plugin has the name of another tool, so none of its tools is offered.',
  },
  'plugin.broken': {
    exit: exitCodes.usage,
    meaning: 'The plugin cannot be used as it is: its manifest, its program or its settings are wrong.',
  },
  'plugin.disabled': { exit: exitCodes.unavailable, meaning: 'The plugin is switched off.' },
  'plugin.exists': { exit: exitCodes.usage, meaning: 'A plugin of that name is there already.' },
  'http.port_in_use': { exit: exitCodes.usage, meaning: 'Another program listens on the port.' },
  'http.cannot_listen': {
    exit: exitCodes.usage,
    meaning: 'The address is not one of this machine, or not allowed.',
  },
  'gate.unreachable': {
    exit: exitCodes.unavailable,
    meaning: 'No gate ever answered at the address of `--via`.',
  },
  'gate.token_refused': {
    exit: exitCodes.unauthorized,
    meaning: 'The gate at the address of `--via` does not take the token, or takes it no longer.',
  },
  'trust.not_asked': {
    exit: exitCodes.untrusted,
    meaning: 'Trust needs a person at a terminal, or `--yes`.',
  },
  'trust.refused': { exit: exitCodes.untrusted, meaning: 'The person at the terminal said no.' },
  'trust.changed': { exit: exitCodes.untrusted, meaning: 'The file changed while it was being shown.' },
  'token.bad_principal': {
    exit: exitCodes.usage,
    meaning: 'Nobody can be called that: a token is for `user:`, `agent:` or `service:` and a name.',
  },
  'token.bad_profile': { exit: exitCodes.usage, meaning: 'There is no profile of that name for a token.' },
  'token.bad_tools': { exit: exitCodes.usage, meaning: 'The names and patterns of tools cannot be read.' },
  'token.bad_label': { exit: exitCodes.usage, meaning: 'A label is one line of at most 200 characters.' },
  'token.bad_expiry': { exit: exitCodes.usage, meaning: 'The end of a token is no time to come.' },
  'token.not_found': { exit: exitCodes.notFound, meaning: 'There is no such token in this zone.' },
  'token.revoked': { exit: exitCodes.usage, meaning: 'The token was revoked.' },
  'token.expired': { exit: exitCodes.usage, meaning: 'The time of the token is over.' },
  'token.parent_void': {
    exit: exitCodes.usage,
    meaning: 'The token that this one was made from is no longer good.',
  },
  'token.too_deep': { exit: exitCodes.usage, meaning: 'A chain of tokens has eight links at most.' },
  'token.foreign_zone': {
    exit: exitCodes.usage,
    meaning: 'A token stays in the zone of the one that it is made from.',
  },
  'store.unavailable': {
    exit: exitCodes.unavailable,
    meaning: 'The store of grants cannot be reached or opened.',
  },
  'store.corrupt': {
    exit: exitCodes.unavailable,
    meaning: 'The store of grants is damaged. Nothing is let through until it is mended.',
  },
  'store.full': {
    exit: exitCodes.unavailable,
    meaning: 'There is no space left for the store of grants.',
  },
  'store.newer_schema': {
    exit: exitCodes.unavailable,
    meaning: 'A newer version of Tidegate wrote the store: use that one.',
  },
  'store.conflict': {
    exit: exitCodes.unavailable,
    meaning: 'Somebody else changed the grants meanwhile: look, and try again.',
  },
  'store.closed': {
    exit: exitCodes.internal,
    meaning: 'The store of grants was closed while it was in use.',
  },
} as const satisfies Readonly<Record<string, CodeRow>>;

export type CommandCode = keyof typeof commandCodes;
export type FailureCode = CommandCode | DeskCode | Fault['code'] | ProblemCode;

/** Why a command did not do what was asked, and what to type next. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly next: string | undefined;
  readonly problems: readonly string[] | undefined;

  constructor(code: FailureCode, message: string, next?: string, problems?: readonly string[]) {
    super(message);
    this.code = code;
    this.next = next;
    this.problems = problems;
  }

  get exit(): ExitCode {
    return exitOf(this.code);
  }
}

function exitOf(code: FailureCode): ExitCode {
  if (isCommandCode(code)) return commandCodes[code].exit;
  if (isFaultCode(code)) return exitOfFault[code];
  if (isDeskCode(code)) return exitOfDesk[code];
  // What is wrong with the record of trust leaves everything untrusted.
  return code.startsWith('config.') ? exitCodes.usage : exitCodes.untrusted;
}

function isCommandCode(code: string): code is CommandCode {
  return Object.hasOwn(commandCodes, code);
}

function isFaultCode(code: string): code is Fault['code'] {
  return Object.hasOwn(exitOfFault, code);
}

function isDeskCode(code: string): code is DeskCode {
  return Object.hasOwn(exitOfDesk, code);
}

export function interrupted(): Failure {
  return new Failure('call.cancelled', 'Interrupted.');
}
