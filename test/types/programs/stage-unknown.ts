import type { Stage } from '../../../src/core/index.js';

export const early: Stage = {
  stage: 'before-policy', // wrong: the pipeline has no such stage
  // right: stage: 'policy',
  name: 'early',
  handle: (_call, exchange, next) => next(exchange),
};
