import {
  type Call,
  createFault,
  type Exchange,
  faulted,
  faultTable,
  type Interceptor,
  type Next,
  type Outcome,
  type Stage,
  stages,
} from '../kernel/index.js';
import { isAdmitted } from './admit.js';

export type Corridor = (call: Call, exchange: Exchange, end: Next) => Promise<Outcome>;

const provider = 'the provider';

/** Puts the interceptors into the one order and seals it. A second one at a stage is a mistake of assembly. */
export function createCorridor(interceptors: readonly Interceptor[]): Corridor {
  const ordered = orderByStage(interceptors);
  return async (call, exchange, end) => {
    if (!isAdmitted(call)) return internal('a call that was never admitted reached the corridor');
    try {
      return ordered.length === 0
        ? checked(await end(exchange), provider)
        : await walk(ordered, 0, call, exchange, end);
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
  if (interceptor === undefined) return checked(await end(exchange), provider);
  const stage = `stage ${interceptor.name}`;
  let passes = 0;
  const outcome = await interceptor.handle(call, exchange, (wrapped) => {
    passes += 1;
    if (passes > 1) throw new Error(`${stage} went on twice, or after its answer`);
    return walk(ordered, at + 1, call, wrapped, end);
  });
  // A stage that swallowed the error above is no better for it.
  if (passes > 1) throw new Error(`${stage} went on twice`);
  passes = 1;
  return checked(outcome, stage);
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

/** Nothing but an outcome leaves the corridor, whatever the types promised. */
function checked(outcome: unknown, from: string): Outcome {
  if (!isOutcome(outcome)) throw new Error(`${from} gave no outcome`);
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

function internal(detail: string): Outcome {
  return faulted(createFault('internal', 'The gate failed to carry out this call.', { detail }));
}

export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
