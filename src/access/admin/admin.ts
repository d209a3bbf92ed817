import { profileAssign, type Assigned } from './assign.js';
import { audit, type AuditPage, type AuditOptions } from './audit.js';
import type { AccessDocument } from './document.js';
import { check, type Checked, explain, type Explained, type ExplainOptions } from './explain.js';
import { grant, type Granted, type GrantOptions } from './grant.js';
import { type Inspected, profileInspect } from './inspect.js';
import type { AdminParts } from './parts.js';
import { auditPrune, type Pruned, type PruneOptions } from './prune.js';
import { profileList, type ProfileList, profileShow, type ProfileView } from './profiles.js';
import { revoke, type Revoked, type RevokeOptions } from './revoke.js';
import { runTests, type TestRun } from './run-tests.js';
import { exportAll, importAll, type Imported, type ImportOptions } from './transfer.js';

/**
 * The admin service: every operation on rights, used by both the commands and the admin API. Throws `AdminError` for
 * expected errors and `StoreError` if the store fails. Every change is recorded with its author.
 */
export interface AdminService {
  profileList(): Promise<ProfileList>;
  profileShow(name: string, options?: { readonly resolved?: boolean }): Promise<ProfileView>;
  profileAssign(principal: string, profile: string): Promise<Assigned>;
  profileInspect(principal: string): Promise<Inspected>;
  grant(principal: string, what: string | undefined, options?: GrantOptions): Promise<Granted>;
  revoke(principal: string, what: string | undefined, options?: RevokeOptions): Promise<Revoked>;
  check(principal: string, what: string, options?: ExplainOptions): Promise<Checked>;
  explain(principal: string, what: string, options?: ExplainOptions): Promise<Explained>;
  exportAll(): Promise<AccessDocument>;
  importAll(document: unknown, options?: ImportOptions): Promise<Imported>;
  test(document: unknown): Promise<TestRun>;
  audit(request?: AuditOptions): Promise<AuditPage>;
  auditPrune(request: PruneOptions): Promise<Pruned>;
}

export function createAdminService(parts: AdminParts): AdminService {
  return {
    profileList: () => profileList(parts),
    profileShow: (name, options) => profileShow(parts, name, options),
    profileAssign: (principal, profile) => profileAssign(parts, principal, profile),
    profileInspect: (principal) => profileInspect(parts, principal),
    grant: (principal, what, options) => grant(parts, principal, what, options),
    revoke: (principal, what, options) => revoke(parts, principal, what, options),
    check: (principal, what, options) => check(parts, principal, what, options),
    explain: (principal, what, options) => explain(parts, principal, what, options),
    exportAll: () => exportAll(parts),
    importAll: (document, options) => importAll(parts, document, options),
    test: (document) => runTests(parts, document),
    audit: (request) => audit(parts, request),
    auditPrune: (request) => auditPrune(parts, request),
  };
}
