/** Every kind of event in the audit log. */
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
  'store.accept',
  'store.writable',
  'token.create',
  'token.rotate',
  'token.revoke',
  'token.attenuate',
] as const;
export type AuditAction = (typeof auditActions)[number];
