import type { Principal, Session } from '../../../src/core/index.js';

export const session = (principal: Principal): Session => ({
  id: 's',
  scope: 'connection',
  principal: undefined, // wrong: there is no caller without an identity
  // right: principal,
});
