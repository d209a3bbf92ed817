export { parsePrincipal } from './object-ids.js';
export {
  type Access,
  accessFrom,
  createAccess,
  createLateAccess,
  type LateAccess,
  withoutOperations,
  withToolFilter,
} from './visible.js';
export { describeObject, formatPrincipal } from './object-ids.js';
