import { stackOf } from '../lib/error-message.js';
import {
  type Call,
  createFault,
  type Exchange,
  type Fault,
  faulted,
  faultTable,
  type Next,
  type Outcome,
  type Stage,
  type StageName,
  stageNames,
} from '../core/index.js';
import { isAdmitted } from './admit.js';

export type Pipeline = (call: Call, exchange: Exchange, end: Next) => Promise<Outcome>;

const provider = 'the provider';

/** Runs the stages in their fixed order. Two with one name are a programming error. */
export function createPipeline(stages: readonly Stage[]): Pipeline {
  const ordered = inOrder(stages);
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
  ordered: readonly Stage[],
  at: number,
  call: Call,
  exchange: Exchange,
  end: Next,
): Promise<Outcome> {
  const stage = ordered[at];
  if (stage === undefined) return checked(await end(exchange), provider);
  const label = `stage ${stage.name}`;
  let passes = 0;
  const outcome = await stage.handle(call, exchange, (wrapped) => {
    passes += 1;
    if (passes > 1) throw new Error(`${label} called next twice, or after returning`);
    return walk(ordered, at + 1, call, wrapped, end);
  });
  // The stage may have swallowed the error above.
  if (passes > 1) throw new Error(`${label} called next twice`);
  passes = 1;
  return checked(outcome, label);
}

function inOrder(stages: readonly Stage[]): readonly Stage[] {
  const byName = new Map<StageName, Stage>();
  for (const stage of stages) {
    if (!stageNames.includes(stage.stage)) throw new Error(`unknown stage: ${stage.stage}`);
    const taken = byName.get(stage.stage);
    if (taken) throw new Error(`stage ${stage.stage}: both ${taken.name} and ${stage.name} are registered`);
    byName.set(stage.stage, stage);
  }
  return Object.freeze(stageNames.flatMap((name) => byName.get(name) ?? []));
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
