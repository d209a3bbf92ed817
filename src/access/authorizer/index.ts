export type { DelegationAnswer, Reason } from './explain.js';
export type { Action } from './link-predicate.js';
export type { Predicates } from './predicates.js';
export {
  type Authorizer,
  type ChainAnswer,
  chainOf,
  openAuthorizer,
} from './open-authorizer.js';
export { createPolicy, type Policy } from './policy.js';
