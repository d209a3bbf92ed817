export { formatPrincipal, parsePrincipal } from './object-ids.js';
export {
  type Access,
  accessFrom,
  createAccess,
  createOperatorAccess,
  type Visibility,
  withToolFilter,
} from './visible.js';
