import type { AdminCode, AdminError } from '../access/admin/index.js';
import type { AdminRefusal } from '../ports/admin-api.js';

/** HTTP status of each admin error code. */
export const statusOfAdmin: Readonly<Record<AdminCode, number>> = {
  'access.admin_required': 403,
  'access.bad_principal': 400,
  'access.bad_target': 400,
  'access.unknown_tool': 404,
  'access.unknown_profile': 404,
  'access.unknown_token': 404,
  'access.bad_time': 400,
  'access.role_cycle': 409,
  'access.not_in_model': 400,
  'access.bad_document': 400,
  'access.wrong_zone': 409,
  'access.bad_request': 400,
  'access.store_in_memory': 409,
  'access.conflict': 409,
  'access.prune_too_much': 409,
};

export function refusalOf({ code, message, next, problems }: AdminError): AdminRefusal {
  return { status: statusOfAdmin[code], code, message, next, ...(problems.length > 0 && { problems }) };
}
