import type { Call, Exchange, Outcome, Provider, Request } from '../../../src/core/index.js';

export function shortcut(
  provider: Provider,
  request: Request,
  call: Call,
  exchange: Exchange,
): Promise<Outcome> {
  return provider.call(request, exchange); // wrong: what was not admitted reaches no provider
  // right: return provider.call(call, exchange);
}
