import type { Stage } from '../../../src/core/index.js';

export const renamer: Stage = {
  stage: 'policy',
  name: 'renamer',
  handle: (call, exchange, next) => next({ ...call, input: exchange }), // wrong: no other call is handed on
  // right: handle: (_call, exchange, next) => next(exchange),
};
