import type { DeskCode } from '../app/desk.js';
import type { callTool } from '../app/index.js';
import type { HttpCode } from '../app/known-codes.js';
import type { IdentityCode } from '../app/open-token-desk.js';

/** What the program's exit status says. Numbers never change once released. */
export const exitCodes = {
  ok: 0,
  internal: 1,
  usage: 2,
  notFound: 3,
  unavailable: 4,
  toolError: 5,
  untrusted: 6,
  unauthorized: 7,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** One sentence each, for the reference page. */
export const exitMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'Done.',
  internal:
    'Denied, for `check`; an assertion failed, for `access test`; no such workflow, run or step, or wrong inputs, for workflows; otherwise a defect of Tidegate.',
  usage: 'Wrong use of a command, wrong arguments of a tool, or a configuration with errors.',
  notFound: 'No such tool, server or file.',
  unavailable:
    'A server, or the gate that was asked, could not be reached or gave no answer; something failed, for `doctor`.',
  toolError: 'The tool answered that it failed.',
  untrusted: 'A file would start something and is not trusted.',
  unauthorized: 'The gate that was asked refused the token, or a server wants a login.',
  interrupted: 'Stopped by the user.',
};

/** How each refusal of the operator's desk ends the command. Complete by type. */
export const exitOfDesk: Readonly<Record<DeskCode, ExitCode>> = {
  'access.admin_required': exitCodes.usage,
  'access.bad_principal': exitCodes.usage,
  'access.bad_target': exitCodes.usage,
  'access.unknown_tool': exitCodes.notFound,
  'access.unknown_profile': exitCodes.notFound,
  'access.unknown_token': exitCodes.notFound,
  'access.bad_time': exitCodes.usage,
  'access.role_cycle': exitCodes.usage,
  'access.not_in_model': exitCodes.usage,
  'access.bad_document': exitCodes.usage,
  'access.wrong_zone': exitCodes.usage,
  'access.bad_request': exitCodes.usage,
  'access.store_in_memory': exitCodes.usage,
  'access.conflict': exitCodes.unavailable,
};

/** How each wish for a token that cannot be granted ends the command. Complete by type. */
export const exitOfIdentity: Readonly<Record<IdentityCode, ExitCode>> = {
  'token.bad_principal': exitCodes.usage,
  'token.bad_profile': exitCodes.usage,
  'token.bad_tools': exitCodes.usage,
  'token.bad_label': exitCodes.usage,
  'token.bad_expiry': exitCodes.usage,
  'token.not_found': exitCodes.notFound,
  'token.revoked': exitCodes.usage,
  'token.expired': exitCodes.usage,
  'token.parent_void': exitCodes.usage,
  'token.too_deep': exitCodes.usage,
  'token.foreign_zone': exitCodes.usage,
};

/** What a gate answers over HTTP ends no command by itself: so would a command end that met nothing else. Complete by type. */
export const exitOfHttp: Readonly<Record<HttpCode, ExitCode>> = {
  'auth.required': exitCodes.unauthorized,
  'access.unavailable': exitCodes.unavailable,
  'route.not_found': exitCodes.notFound,
};

type Outcome = Awaited<ReturnType<typeof callTool>>;
export type Fault = Extract<Outcome, { readonly kind: 'fault' }>['fault'];

/** How each fault of a call ends the command. Complete by type. */
export const exitOfFault: Readonly<Record<Fault['code'], ExitCode>> = {
  'tool.not_found': exitCodes.notFound,
  'prompt.not_found': exitCodes.notFound,
  'resource.not_found': exitCodes.notFound,
  'input.invalid': exitCodes.usage,
  'cursor.invalid': exitCodes.usage,
  'call.cancelled': exitCodes.interrupted,
  'call.timeout': exitCodes.unavailable,
  'call.too_many': exitCodes.unavailable,
  'ask.unsupported': exitCodes.toolError,
  'ask.expired': exitCodes.toolError,
  'ask.forged': exitCodes.toolError,
  'ask.too_many': exitCodes.toolError,
  'provider.untrusted': exitCodes.untrusted,
  'provider.login': exitCodes.unauthorized,
  'provider.starting': exitCodes.unavailable,
  'provider.unavailable': exitCodes.unavailable,
  'provider.lost': exitCodes.unavailable,
  'provider.malformed': exitCodes.unavailable,
  'upstream.error': exitCodes.toolError,
  'need.starting': exitCodes.unavailable,
  'need.unavailable': exitCodes.unavailable,
  'work.not_found': exitCodes.toolError,
  'work.refused': exitCodes.toolError,
  'work.conflict': exitCodes.toolError,
  'work.bad_state': exitCodes.toolError,
  'work.external': exitCodes.toolError,
  'work.unsupported': exitCodes.toolError,
  'work.timeout': exitCodes.toolError,
  'work.failed': exitCodes.toolError,
  internal: exitCodes.internal,
};
