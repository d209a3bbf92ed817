import { type Answer, emptyObject, type Exchange } from '../../../src/kernel/index.js';

export async function ask(exchange: Exchange): Promise<Answer> {
  return exchange.ask({ method: 'tools/call', params: emptyObject }); // wrong: a target asks, it does not call
  // right: return exchange.ask({ method: 'roots/list', params: emptyObject });
}
