export type { LinkAnswer, Reason } from './explain.js';
export type { Action, Judge } from './predicates.js';
export {
  type Authority,
  type ChainAnswer,
  chainOf,
  openAuthority,
} from './open-authorizer.js';
export { createPolicy, type Policy } from './policy.js';
