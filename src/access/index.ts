export {
  type Access,
  accessFrom,
  createAccess,
  createOperatorAccess,
  type Visibility,
  withToolFilter,
} from './visible.js';
