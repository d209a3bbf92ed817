import { stackOf } from '../lib/error-message.js';
import {
  type Call,
  createFault,
  type Exchange,
  type Fault,
  faulted,
  faultTable,
  type Interceptor,
  type Next,
  type Outcome,
  type Stage,
  stages,
} from '../core/index.js';
import { isAdmitted } from './admit.js';

export type Pipeline = (call: Call, exchange: Exchange, end: Next) => Promise<Outcome>;

const provider = 'the provider';

/** Orders the interceptors by stage. Two for one stage is a programming error. */
export function createPipeline(interceptors: readonly Interceptor[]): Pipeline {
  const ordered = orderByStage(interceptors);
  return async (call, exchange, end) => {
    if (!isAdmitted(call))
      return faulted(internalFault('a call that was never admitted reached the pipeline'));
    try {
      return ordered.length === 0
        ? checked(await end(exchange), provider)
        : await walk(ordered, 0, call, exchange, end);
    } catch (error) {
      return faulted(internalFault(error));
    }
  };
}

async function walk(
  ordered: readonly Interceptor[],
  at: number,
  call: Call,
  exchange: Exchange,
  end: Next,
): Promise<Outcome> {
  const interceptor = ordered[at];
  if (interceptor === undefined) return checked(await end(exchange), provider);
  const stage = `stage ${interceptor.name}`;
  let passes = 0;
  const outcome = await interceptor.handle(call, exchange, (wrapped) => {
    passes += 1;
    if (passes > 1) throw new Error(`${stage} called next twice, or after returning`);
    return walk(ordered, at + 1, call, wrapped, end);
  });
  // The stage may have swallowed the error above.
  if (passes > 1) throw new Error(`${stage} called next twice`);
  passes = 1;
  return checked(outcome, stage);
}

function orderByStage(interceptors: readonly Interceptor[]): readonly Interceptor[] {
  const byStage = new Map<Stage, Interceptor>();
  for (const interceptor of interceptors) {
    if (!stages.includes(interceptor.stage)) throw new Error(`unknown stage: ${interceptor.stage}`);
    const taken = byStage.get(interceptor.stage);
    if (taken)
      throw new Error(
        `stage ${interceptor.stage}: both ${taken.name} and ${interceptor.name} are registered`,
      );
    byStage.set(interceptor.stage, interceptor);
  }
  return Object.freeze(stages.flatMap((stage) => byStage.get(stage) ?? []));
}

/** Checked at run time: types do not protect against plain JavaScript. */
function checked(outcome: unknown, from: string): Outcome {
  if (!isOutcome(outcome)) throw new Error(`${from} did not return an outcome`);
  return outcome;
}

function isOutcome(value: unknown): value is Outcome {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false;
  if (value.kind === 'content') return 'result' in value && isJsonText(value.result);
  if (value.kind === 'asks') return 'questions' in value && isJsonText(value.questions);
  return value.kind === 'fault' && 'fault' in value && isFault(value.fault);
}

function isJsonText(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string';
}

function isFault(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('code' in value)) return false;
  return typeof value.code === 'string' && Object.hasOwn(faultTable, value.code);
}

/** A bug becomes `internal`; the agent sees no detail of it. */
export function internalFault(error: unknown): Fault {
  const detail = stackOf(error);
  return createFault('internal', 'Tidegate failed to run this call because of an internal error.', {
    detail,
  });
}
