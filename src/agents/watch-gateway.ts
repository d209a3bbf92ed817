import type { Gateway } from '../gateway/index.js';
import type { AgentOrder } from './agent.js';
import { asJson } from './launch.js';
import { answerOf } from './result-text.js';

export interface WatchedGateway {
  readonly gateway: Gateway;
  /** Number of calls. */
  readonly calls: () => number;
}

/** The gateway as a launched agent sees it: calls are reported and belong to the span of its step. */
export function watchGateway({
  gateway,
  trace,
  onEvent,
}: Pick<AgentOrder, 'gateway' | 'trace' | 'onEvent'>): WatchedGateway {
  let count = 0;
  const watched: Gateway = {
    ...gateway,
    async call(request, exchange) {
      // A parent span named by the agent is not one of ours.
      const traced = trace === undefined ? request : { ...request, trace };
      if (request.wanted.kind !== 'tool') return gateway.call(traced, exchange);
      const [{ id }, { name }] = [request, request.wanted];
      count += 1;
      onEvent({ kind: 'call', id, name, input: argumentsOf(request.params.value) });
      const started = performance.now();
      const outcome = await gateway.call(traced, exchange);
      onEvent({ kind: 'result', id, name, ...answerOf(outcome), ms: performance.now() - started });
      return outcome;
    },
    // The session belongs to the step and may outlive the process.
    leave: () => undefined,
  };
  return { gateway: watched, calls: () => count };
}

function argumentsOf(params: unknown): unknown {
  return asJson(params)?.['arguments'] ?? {};
}
