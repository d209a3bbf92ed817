import {
  type Call,
  createFault,
  type Exchange,
  faulted,
  type Interceptor,
  type Next,
  type Outcome,
  type Stage,
  stages,
} from '../kernel/index.js';
import { isAdmitted } from './admit.js';

export type Corridor = (call: Call, exchange: Exchange, end: Next) => Promise<Outcome>;

/** Puts the interceptors into the one order and seals it. A second one at a stage is a mistake of assembly. */
export function createCorridor(interceptors: readonly Interceptor[]): Corridor {
  const ordered = orderByStage(interceptors);
  return async (call, exchange, end) => {
    if (!isAdmitted(call)) return internal('a call that was never admitted reached the corridor');
    try {
      return await walk(ordered, 0, call, exchange, end);
    } catch (error) {
      return internal(describeError(error));
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
  if (interceptor === undefined) return end(exchange);
  let passed = false;
  const outcome: unknown = await interceptor.handle(call, exchange, (wrapped) => {
    if (passed) throw new Error(`stage ${interceptor.name} went on twice`);
    passed = true;
    return walk(ordered, at + 1, call, wrapped, end);
  });
  if (!isOutcome(outcome)) throw new Error(`stage ${interceptor.name} gave no outcome`);
  return outcome;
}

function orderByStage(interceptors: readonly Interceptor[]): readonly Interceptor[] {
  const byStage = new Map<Stage, Interceptor>();
  for (const interceptor of interceptors) {
    if (!stages.includes(interceptor.stage)) throw new Error(`unknown stage: ${interceptor.stage}`);
    const taken = byStage.get(interceptor.stage);
    if (taken)
      throw new Error(`stage ${interceptor.stage}: ${taken.name} and ${interceptor.name} both want it`);
    byStage.set(interceptor.stage, interceptor);
  }
  return Object.freeze(stages.flatMap((stage) => byStage.get(stage) ?? []));
}

function isOutcome(value: unknown): value is Outcome {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false;
  return value.kind === 'content' || value.kind === 'asks' || value.kind === 'fault';
}

function internal(detail: string): Outcome {
  return faulted(createFault('internal', 'The gate failed to carry out this call.', { detail }));
}

export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
