import type { AdminCode, IdentityCode } from '../features/admin/index.js';
import type { callTool, HttpCode } from '../app/index.js';

/** Exit statuses. The numbers never change once released. */
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
    'Denied (`check`), assertion failed (`access test`), or unknown workflow, run or step, or invalid inputs (workflows). Otherwise a bug in Tidegate.',
  usage: 'Invalid command line, invalid tool arguments, or errors in the configuration.',
  notFound: 'Tool, server or file not found.',
  unavailable: 'A server or gateway could not be reached or did not answer, or a check failed (`doctor`).',
  toolError: 'The tool reported an error.',
  untrusted: 'A file that would start something is not trusted.',
  unauthorized: 'The gateway rejected the token, or a server requires a login.',
  interrupted: 'Interrupted by the user.',
};

/** Exit status for each error of the admin service. The type requires an entry for every code. */
export const exitOfAdmin: Readonly<Record<AdminCode, ExitCode>> = {
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
  'access.prune_too_much': exitCodes.usage,
};

/** Exit status for each token error. The type requires an entry for every code. */
export const exitOfIdentity: Readonly<Record<IdentityCode, ExitCode>> = {
  'token.bad_principal': exitCodes.usage,
  'token.bad_profile': exitCodes.usage,
  'token.bad_tools': exitCodes.usage,
  'token.bad_label': exitCodes.usage,
  'token.bad_workspace': exitCodes.usage,
  'token.bad_expiry': exitCodes.usage,
  'token.not_found': exitCodes.notFound,
  'token.revoked': exitCodes.usage,
  'token.expired': exitCodes.usage,
  'token.parent_void': exitCodes.usage,
  'token.too_deep': exitCodes.usage,
  'token.foreign_zone': exitCodes.usage,
};

/** Exit status for each HTTP error, as shown by `explain`. No command exits with these directly. */
export const exitOfHttp: Readonly<Record<HttpCode, ExitCode>> = {
  'auth.required': exitCodes.unauthorized,
  'access.unavailable': exitCodes.unavailable,
  'workspace.not_found': exitCodes.notFound,
  'route.not_found': exitCodes.notFound,
};

type Outcome = Awaited<ReturnType<typeof callTool>>;
export type Fault = Extract<Outcome, { readonly kind: 'fault' }>['fault'];

/** Exit status for each fault of a call. The type requires an entry for every code. */
export const exitOfFault: Readonly<Record<Fault['code'], ExitCode>> = {
  'tool.not_found': exitCodes.notFound,
  'tool.not_permitted': exitCodes.unauthorized,
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
  'policy.denied': exitCodes.unauthorized,
  'limits.rate': exitCodes.unavailable,
  'limits.quota': exitCodes.unauthorized,
  'approval.pending': exitCodes.unavailable,
  'approval.denied': exitCodes.unauthorized,
  'approval.expired': exitCodes.unavailable,
  'pins.changed': exitCodes.untrusted,
  'provider.untrusted': exitCodes.untrusted,
  'provider.disabled': exitCodes.unavailable,
  'provider.login': exitCodes.unauthorized,
  'provider.starting': exitCodes.unavailable,
  'provider.busy': exitCodes.unavailable,
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
