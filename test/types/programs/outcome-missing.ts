import type { Stage } from '../../../src/core/index.js';

export const silent: Stage = {
  stage: 'limits',
  name: 'silent',
  handle: async (_call, exchange, next) => void (await next(exchange)), // wrong: a stage gives an outcome
  // right: handle: async (_call, exchange, next) => await next(exchange),
};
