export { type Check, checkGroups, type CheckState, type Finding } from './check.js';
export { checks } from './checks.js';
export { type Examination, examine, type Examined, type Fixed, worstOf } from './examine.js';
