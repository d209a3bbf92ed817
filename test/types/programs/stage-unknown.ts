import type { Interceptor } from '../../../src/core/index.js';

export const early: Interceptor = {
  stage: 'before-policy', // wrong: the pipeline has five stages
  // right: stage: 'policy',
  name: 'early',
  handle: (_call, exchange, next) => next(exchange),
};
