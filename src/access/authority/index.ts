export type { LinkAnswer, Reason } from './explain.js';
export type { Action, Judge } from './judge.js';
export {
  type Authority,
  type ChainAnswer,
  chainOf,
  openAuthority,
} from './open-authority.js';
export { createPolicy, type Policy } from './policy.js';
