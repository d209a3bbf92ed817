import type { Provider } from '../../../src/core/index.js';

export function withoutParse({ parse, ...rest }: Provider): Provider {
  return rest; // wrong: arguments are read before the pipeline
  // right: return { ...rest, parse };
}
