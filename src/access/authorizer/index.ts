export type { DelegationAnswer, Reason } from './explain.js';
export type { Action, Predicates } from './predicates.js';
export {
  type Authorizer,
  type ChainAnswer,
  chainOf,
  openAuthorizer,
} from './open-authorizer.js';
export { createPolicy, type Policy } from './policy.js';
