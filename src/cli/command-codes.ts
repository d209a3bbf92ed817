import { type ExitCode, exitCodes } from './exit-codes.js';
import { pluginCodes } from './commands/plugin/plugin-codes.js';
import { importCodes } from './commands/setup/import-codes.js';
import { runCodes } from './commands/run/run-codes.js';

interface CodeRow {
  readonly exit: ExitCode;
  readonly meaning: string;
  /** What to do if the error itself has no better suggestion. */
  readonly remedy: string;
}

/** Errors of the command line. Codes never change once released. */
export const commandCodes = {
  'usage.unknown_command': {
    exit: exitCodes.usage,
    meaning: 'Unknown command.',
    remedy: 'List all commands: `tidegate --help`.',
  },
  'usage.unknown_option': {
    exit: exitCodes.usage,
    meaning: 'Unknown option.',
    remedy: "Add `--help` to see the command's options.",
  },
  'usage.missing_argument': {
    exit: exitCodes.usage,
    meaning: 'An argument or an option value is missing.',
    remedy: 'Add `--help` to see which arguments the command takes.',
  },
  'usage.excess_arguments': {
    exit: exitCodes.usage,
    meaning: 'Too many arguments.',
    remedy: 'Quote text that contains spaces. Add `--help` to see which arguments the command takes.',
  },
  'usage.bad_value': {
    exit: exitCodes.usage,
    meaning: 'An option has an invalid value.',
    remedy: 'Use one of the values in the message.',
  },
  'usage.bad_arguments': {
    exit: exitCodes.usage,
    meaning: 'The tool arguments are not a JSON object.',
    remedy:
      'Pass JSON in single quotes, or `name=value` pairs. To see the arguments, run `tidegate tools show <tool>`.',
  },
  'usage.exclusive': {
    exit: exitCodes.usage,
    meaning: 'Two options cannot be used together.',
    remedy: 'Remove one of them.',
  },
  'file.not_found': {
    exit: exitCodes.notFound,
    meaning: 'The file does not exist.',
    remedy: 'Check the path.',
  },
  'file.unwritable': {
    exit: exitCodes.unavailable,
    meaning: 'A file, a folder or the command output cannot be written.',
    remedy: 'Fix the permissions or free disk space, then try again.',
  },
  'code.not_found': {
    exit: exitCodes.notFound,
    meaning: 'Unknown error code.',
    remedy: 'See docs/reference/errors.md and docs/reference/workflow.md for all codes.',
  },
  'config.not_found': {
    exit: exitCodes.notFound,
    meaning: 'No configuration file was found in this folder, its parent folders or the state directory.',
    remedy: 'Create one with `tidegate init`, or pass `--config <file>`.',
  },
  'config.invalid': {
    exit: exitCodes.usage,
    meaning: 'The configuration has errors, so nothing was done.',
    remedy: 'Fix the reported problems, then run `tidegate config check`.',
  },
  ...runCodes,
  'tool.no_graph': {
    exit: exitCodes.usage,
    meaning: 'The tool is not made of nodes, so it has no graph.',
    remedy: 'Run the command without `--graph`.',
  },
  'tool.exists': {
    exit: exitCodes.usage,
    meaning: 'A file with that name already exists.',
    remedy: 'Choose another name, or remove the file.',
  },
  'agent.not_found': {
    exit: exitCodes.notFound,
    meaning: 'Unknown agent.',
    remedy: 'List the agents: `tidegate doctor`.',
  },
  'agent.undoing': {
    exit: exitCodes.usage,
    meaning: 'An argument for the agent would break its isolation.',
    remedy: 'Remove the argument. The message says what is allowed.',
  },
  'agent.leaks': {
    exit: exitCodes.unavailable,
    meaning: 'The agent can bypass Tidegate.',
    remedy: 'To see how, run `tidegate doctor --agent <name>`. Another version of the agent may be isolated.',
  },
  'agent.failed': {
    exit: exitCodes.unavailable,
    meaning: 'The agent could not be started.',
    remedy: 'Test it with `tidegate doctor --agent <name>`.',
  },
  'agent.not_installed': {
    exit: exitCodes.unavailable,
    meaning: 'The agent is not on PATH.',
    remedy: 'Install it as described in the message, then check with `tidegate doctor` that it is found.',
  },
  'server.not_found': {
    exit: exitCodes.notFound,
    meaning: 'No server with that name is configured.',
    remedy: 'List your servers: `tidegate servers`.',
  },
  'login.no_http': {
    exit: exitCodes.usage,
    meaning: 'The server is a local program, so there is no login.',
    remedy: 'Pass credentials through `env` in `tidegate.yaml`.',
  },
  'login.has_header': {
    exit: exitCodes.usage,
    meaning: 'The configuration already sends an Authorization header to the server.',
    remedy: 'To log in instead, remove the header from `headers`.',
  },
  'login.none': {
    exit: exitCodes.usage,
    meaning: 'The server does not require a login, or does not describe how to log in.',
    remedy: 'If the server accepts another kind of token, set it under `headers` in `tidegate.yaml`.',
  },
  'login.unfit': {
    exit: exitCodes.unavailable,
    meaning:
      'The server or its authorization server does not support a feature that a secure login requires.',
    remedy: 'Contact the operator of the server. Until then, you can set a token under `headers`.',
  },
  'login.unreachable': {
    exit: exitCodes.unavailable,
    meaning: 'The server or its authorization server could not be reached, or did not answer in time.',
    remedy: 'Check the address, and that the server is running: `tidegate servers`.',
  },
  'login.denied': {
    exit: exitCodes.unauthorized,
    meaning: 'The login was denied by the authorization server or in the browser.',
    remedy: 'Try again with an account that has access: `tidegate login <server>`.',
  },
  'login.late': {
    exit: exitCodes.unavailable,
    meaning: 'The login in the browser was not completed in time.',
    remedy:
      'Try again: `tidegate login <server>`. With `--no-browser` you can use a browser on another machine.',
  },
  'login.callback': {
    exit: exitCodes.unavailable,
    meaning: 'The callback port is in use, or the response does not belong to this login.',
    remedy: 'Try again: `tidegate login <server>`.',
  },
  ...pluginCodes,
  'http.port_in_use': {
    exit: exitCodes.usage,
    meaning: 'Another process is using the port.',
    remedy: 'Choose another port with `--port`, or stop the other process.',
  },
  'http.cannot_listen': {
    exit: exitCodes.usage,
    meaning: 'The address does not belong to this machine, or is not allowed.',
    remedy: 'Use 127.0.0.1 or another address of this machine.',
  },
  'gate.unreachable': {
    exit: exitCodes.unavailable,
    meaning: 'No gateway answered at the `--via` URL.',
    remedy: 'Start one with `tidegate serve`, or fix the URL.',
  },
  'gate.token_refused': {
    exit: exitCodes.unauthorized,
    meaning: 'The gateway at the `--via` URL rejected the token.',
    remedy:
      'Create a new token on the machine where that gateway runs: `tidegate token create --as <principal>`.',
  },
  'trust.not_asked': {
    exit: exitCodes.untrusted,
    meaning: 'Trusting a file requires confirmation in a terminal, or `--yes`.',
    remedy: 'Review the file, then add `--yes`, or run the command in a terminal.',
  },
  'trust.refused': {
    exit: exitCodes.untrusted,
    meaning: 'The confirmation was declined.',
    remedy: 'Nothing was changed. Review the file, then run `tidegate trust` again.',
  },
  'trust.changed': {
    exit: exitCodes.untrusted,
    meaning: 'The file changed while you were reviewing it.',
    remedy: 'Review it again: `tidegate trust`.',
  },
  ...importCodes,
  'store.unavailable': {
    exit: exitCodes.unavailable,
    meaning: 'The grant store cannot be reached or opened.',
    remedy: 'Run `tidegate doctor` to see why. The address is set under `store` in tidegate.yaml.',
  },
  'store.corrupt': {
    exit: exitCodes.unavailable,
    meaning: 'The grant store is damaged. Only the operator has access.',
    remedy:
      'Restore a backup. To start over, move the store elsewhere, then run `tidegate access accept-store`.',
  },
  'store.full': {
    exit: exitCodes.unavailable,
    meaning:
      'No disk space is left for the grant store. With PostgreSQL, only the operator has access until space is free.',
    remedy: 'Free some space, then try again.',
  },
  'store.read_only': {
    exit: exitCodes.unavailable,
    meaning:
      'The grant store is read-only. Only the operator has access, because grants could not be revoked.',
    remedy: 'Make the database or file system writable. Tidegate notices within seconds.',
  },
  'store.newer_schema': {
    exit: exitCodes.unavailable,
    meaning: 'The grant store was written by a newer version of Tidegate.',
    remedy: 'Upgrade Tidegate to that version or newer.',
  },
  'store.conflict': {
    exit: exitCodes.unavailable,
    meaning: 'The grants were changed by someone else at the same time.',
    remedy: 'Review the current grants, then try again.',
  },
  'store.lost': {
    exit: exitCodes.unavailable,
    meaning: 'The store with your grants is missing or empty, or has been replaced by another one.',
    remedy: 'Restore a backup. To start over without it: `tidegate access accept-store`.',
  },
  'store.closed': {
    exit: exitCodes.internal,
    meaning: 'The grant store was closed while in use.',
    remedy: 'Try again. If it happens again, report a bug.',
  },
} as const satisfies Readonly<Record<string, CodeRow>>;

export type CommandCode = keyof typeof commandCodes;
