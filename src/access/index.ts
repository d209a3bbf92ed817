export { formatPrincipal, parsePrincipal } from './object-ids.js';
export {
  type Access,
  accessFrom,
  createAccess,
  createLateAccess,
  type Visibility,
  withToolFilter,
} from './visible.js';
