import type { AccessStoreCase } from './access-store/case.js';
import { auditCases } from './access-store/audit-cases.js';
import { changeCases } from './access-store/change-cases.js';
import { grantCases } from './access-store/grant-cases.js';
import { handleCases } from './access-store/handle-cases.js';
import { textCases } from './access-store/text-cases.js';
import { tokenCases } from './access-store/token-cases.js';

/**
 * What every store of grants, tokens and audit promises, whichever it is. Each case works in zones of its own, so that all of
 * them may share one database, and rejects with an assertion error where the store does not keep its word.
 */
export const accessStoreCases: readonly AccessStoreCase[] = [
  ...grantCases,
  ...changeCases,
  ...textCases,
  ...tokenCases,
  ...auditCases,
  ...handleCases,
];
