import type { Answer, Exchange } from '../../../src/core/index.js';
import { emptyObject } from '../../../src/lib/json-text.js';

export async function ask(exchange: Exchange): Promise<Answer> {
  return exchange.ask({ method: 'tools/call', params: emptyObject }); // wrong: a target asks, it does not call
  // right: return exchange.ask({ method: 'roots/list', params: emptyObject });
}
