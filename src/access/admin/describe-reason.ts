import type { Reason } from '../authorizer/index.js';

/** Each reason as the end of a sentence that starts with "allowed: " or "denied: ". */
export const reasonWords: Readonly<Record<Reason, string>> = {
  granted: 'it is granted',
  admin: 'admins of the zone may do everything',
  open: 'it is available to everyone and shows only what the caller has access to',
  inherited: 'it inherits the rights of its parent',
  unknown_tool: 'no tool, prompt or resource has this name',
  no_grant: 'no grant or profile allows it',
  no_call_grant: 'it may be seen but not called',
  blocked: 'it is blocked, which overrides every grant',
  grant_expired: 'the grant has expired',
  condition_failed: 'the condition of the grant cannot be evaluated',
  condition_input_missing: 'the condition of the grant needs a value that is missing',
  profile_ceiling: 'the credential is limited to a profile that does not allow it',
  profile_unknown: 'the credential is limited to a profile that does not exist',
  tools_ceiling: 'the credential is limited to other tools',
  parent_lacks: 'a parent in its chain does not have it',
  credential_void: 'the credential is no longer valid',
  wrong_zone: 'it belongs to another zone',
  cycle: 'roles are members of each other in a cycle',
  too_deep: 'roles are nested too deeply',
  engine_error: 'it could not be evaluated',
  store_unavailable: 'the access store does not respond',
};
