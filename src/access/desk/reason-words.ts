import type { Reason } from '../authority/index.js';

/** Each reason as the end of a sentence that begins with "allowed: " or "denied: ". */
export const reasonWords: Readonly<Record<Reason, string>> = {
  granted: 'it was granted',
  admin: 'an admin of the zone may do everything',
  open: 'it is there for everybody and shows nobody more than he has',
  inherited: 'it has what those before it in the chain have',
  unknown_tool: 'nothing is known by that name',
  no_grant: 'nothing gives it',
  no_call_grant: 'it is there to be seen only',
  blocked: 'it is blocked, which beats every grant',
  grant_expired: 'the grant is over',
  condition_failed: 'the condition of the grant cannot be judged',
  condition_input_missing: 'the condition of the grant asks for what nobody said',
  profile_ceiling: 'the credential goes no further than its profile',
  profile_unknown: 'the credential names a profile that does not exist',
  tools_ceiling: 'the credential is for other tools',
  parent_lacks: 'one before it in the chain does not have it',
  credential_void: 'the credential is no longer good',
  wrong_zone: 'it belongs to another zone',
  cycle: 'roles are members of each other in a circle, so that nothing can be said',
  too_deep: 'roles are nested deeper than is looked',
  engine_error: 'it could not be judged',
  store_unavailable: 'the access store does not answer',
};
