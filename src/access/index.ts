export { parsePrincipal } from './object-ids.js';
export {
  type Access,
  accessFrom,
  createAccess,
  createLateAccess,
  withToolFilter,
} from './visible.js';
