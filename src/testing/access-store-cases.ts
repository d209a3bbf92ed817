import type { AccessStoreCase } from './access-store/case.js';
import { auditCases } from './access-store/audit-cases.js';
import { changeCases } from './access-store/change-cases.js';
import { grantCases } from './access-store/grant-cases.js';
import { handleCases } from './access-store/handle-cases.js';
import { textCases } from './access-store/text-cases.js';
import { tokenCases } from './access-store/token-cases.js';

/**
 * Conformance tests for stores of grants, tokens and audit records. Each case uses its own zones, so that all cases can
 * share one database, and rejects with an assertion error if the store violates the contract.
 */
export const accessStoreCases: readonly AccessStoreCase[] = [
  ...grantCases,
  ...changeCases,
  ...textCases,
  ...tokenCases,
  ...auditCases,
  ...handleCases,
];
