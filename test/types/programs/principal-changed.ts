import type { Stage } from '../../../src/core/index.js';

export const promoter: Stage = {
  stage: 'policy',
  name: 'promoter',
  handle(call, exchange, next) {
    call.session.principal.id = 'root'; // wrong: nobody becomes somebody else
    // right: if (call.session.principal.id === 'root') return next(exchange);
    return next(exchange);
  },
};
