import {
  type Call,
  createFault,
  type Exchange,
  faulted,
  type Outcome,
  type Provider,
} from '../core/index.js';
import { type Asks, callWithAnswers } from './live-asks.js';
import { readQuestions, unanswerable } from './questions.js';

/** Calls the provider. Stops waiting when the caller is gone; the target may still finish its work. */
export function callProvider(provider: Provider, call: Call, exchange: Exchange): Promise<Outcome> {
  if (exchange.isCancelled) return Promise.resolve(cancelled);
  return new Promise((resolve, reject) => {
    const stop = exchange.onCancel(() => resolve(cancelled));
    const end = (outcome: Outcome): void => {
      stop();
      resolve(outcome);
    };
    const fail = (error: unknown): void => {
      stop();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    try {
      provider.call(call, exchange).then((outcome) => {
        if (!isAsks(outcome)) return end(outcome);
        return asked(provider, call, exchange, outcome).then(end, fail);
      }, fail);
    } catch (error) {
      fail(error);
    }
  });
}

const cancelled = faulted(createFault('call.cancelled', 'The call was cancelled.'));

/** Any value may come from a provider; the pipeline checks it later. */
function isAsks(outcome: unknown): outcome is Asks {
  return typeof outcome === 'object' && outcome !== null && 'kind' in outcome && outcome.kind === 'asks';
}

/** The provider needs input. Multi-round callers are only asked for input that they declared they can give. */
async function asked(provider: Provider, call: Call, exchange: Exchange, asks: Asks): Promise<Outcome> {
  if (exchange.asking === 'live') return callWithAnswers(provider, call, exchange, asks);
  for (const { question } of readQuestions(asks.questions)) {
    const problem = question && unanswerable(question, exchange);
    if (problem) return faulted(problem);
  }
  return asks;
}
