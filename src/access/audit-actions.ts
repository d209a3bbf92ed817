/** Every kind of thing that is recorded. */
export const auditActions = [
  'call',
  'get',
  'read',
  'complete',
  'describe',
  'authenticate',
  'admin',
  'grant.write',
  'grant.revoke',
  'profile.assign',
  'profiles.change',
  'access.import',
  'audit.prune',
  'token.create',
  'token.rotate',
  'token.revoke',
  'token.attenuate',
] as const;
export type AuditAction = (typeof auditActions)[number];
