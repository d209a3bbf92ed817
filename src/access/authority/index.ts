export type { LinkAnswer, Reason } from './explain.js';
export type { Action, Judge } from './judge.js';
export {
  type Authority,
  type AuthorityParts,
  type ChainAnswer,
  chainOf,
  openAuthority,
} from './open-authority.js';
export { createPolicy, emptyPolicy, type Policy } from './policy.js';
