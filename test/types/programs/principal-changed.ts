import type { Interceptor } from '../../../src/core/index.js';

export const promoter: Interceptor = {
  stage: 'policy',
  name: 'promoter',
  handle(call, exchange, next) {
    call.session.principal.id = 'root'; // wrong: nobody becomes somebody else
    // right: if (call.session.principal.id === 'root') return next(exchange);
    return next(exchange);
  },
};
