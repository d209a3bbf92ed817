import type { Stage } from '../../../src/core/index.js';

export const changer: Stage = {
  stage: 'policy',
  name: 'changer',
  handle(call, exchange, next) {
    call.input = { path: '/etc/passwd' }; // wrong: a call is frozen
    // right: if (call.resumed) return next(exchange);
    return next(exchange);
  },
};
