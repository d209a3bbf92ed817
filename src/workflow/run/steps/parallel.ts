import { dependencyCircle } from '../../grammar/dependencies.js';
import type { StepOf } from '../../grammar/workflow.js';
import type { Frame, Place } from '../frame.js';
import { crowded } from '../crowded.js';
import { Cancelled, type Done, StepFailure, type StepResult } from '../result.js';

/** Upper limit for branches that run at once. */
const mostAtOnce = 128;

/** Runs branches in parallel. The strategy decides what happens after the first failure or success. */
export async function runParallel(step: StepOf<'parallel'>, frame: Frame, place: Place): Promise<Done> {
  const { parallel: branches = [], strategy = 'all_succeed', max_concurrent: limit = 0 } = step.own;
  refuseCircle(branches, frame);
  const stop = new AbortController();
  const signal = crowded(AbortSignal.any([place.signal, stop.signal]));
  const results = new Map<string, StepResult>();
  const waiting = [...branches];
  const ready = createGates(branches);

  async function runBranch(name: string): Promise<void> {
    const branch = frame.workflow.steps.get(name);
    if (branch === undefined)
      throw new StepFailure('WORKFLOW.VALIDATION.MISSING_STATE', `There is no state ${name}.`);
    const others = (branch.common.depends_on ?? []).filter((other) => branches.includes(other));
    if (others.length > 0)
      await Promise.race([Promise.all(others.map((other) => ready.wait(other))), aborted(signal)]);
    const inside: Place = {
      ...place,
      signal,
      key: `${place.key}/${name}`,
      path: `${place.path}.${name}`,
      isBranch: true,
    };
    const { result } = await frame.execute(branch, frame, inside);
    results.set(name, result);
    const isGood = result.status === 'completed' || branch.common.continue_on_error === true;
    if ((strategy === 'all_succeed' && !isGood) || (strategy === 'any_succeed' && isGood)) stop.abort();
  }

  const lane = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      try {
        if (!signal.aborted) await runBranch(name);
      } catch (error) {
        const isStopped = signal.aborted && (error instanceof Cancelled || isAbort(error));
        if (!isStopped) {
          stop.abort();
          throw error;
        }
      } finally {
        ready.open(name);
      }
    }
  };
  // A waiting branch must not block the branch it waits for.
  const hasOrder = branches.some((name) =>
    (frame.workflow.steps.get(name)?.common.depends_on ?? []).some((other) => branches.includes(other)),
  );
  const lanes = hasOrder
    ? branches.length
    : Math.min(limit === 0 ? mostAtOnce : limit, mostAtOnce, branches.length);
  const settled = await Promise.allSettled(Array.from({ length: lanes }, lane));
  if (place.signal.aborted) throw new Cancelled('The branches were stopped.');
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  return outcomeOf(strategy, branches, results, frame);
}

/** Without this check, the run would end silently because no branch could ever start. */
function refuseCircle(branches: readonly string[], { workflow }: Frame): void {
  const circle = dependencyCircle(workflow.steps, branches);
  if (circle === undefined) return;
  throw new StepFailure(
    'WORKFLOW.VALIDATION.CYCLE_DETECTED',
    `Branches wait for each other: ${circle.join(' → ')}.`,
  );
}

function outcomeOf(
  strategy: string,
  branches: readonly string[],
  results: ReadonlyMap<string, StepResult>,
  { workflow }: Frame,
): Done {
  const isGood = (name: string): boolean =>
    results.get(name)?.status === 'completed' ||
    (results.has(name) && workflow.steps.get(name)?.common.continue_on_error === true);
  const failed = branches.filter((name) => results.has(name) && !isGood(name));
  const response = Object.fromEntries(
    branches.map((name) => [name, results.get(name)?.status ?? 'cancelled']),
  );
  const done: Done = { response, output: JSON.stringify(response) };
  const isDone =
    strategy === 'best_effort' ||
    (strategy === 'any_succeed' ? branches.some(isGood) : branches.every(isGood));
  if (isDone) return done;
  const words = failed.map((name) => `${name}: ${results.get(name)?.error?.message ?? 'failed'}`).join('; ');
  throw new StepFailure('EXECUTION.PARALLEL.PARTIAL_FAILURE', words || 'No branch succeeded.', done);
}

/** One gate per branch, opened when the branch is done. */
function createGates(names: readonly string[]): {
  wait(name: string): Promise<void>;
  open(name: string): void;
} {
  const openers = new Map<string, () => void>();
  const gates = new Map(
    names.map((name) => [name, new Promise<void>((resolve) => openers.set(name, resolve))] as const),
  );
  return {
    wait: (name) => gates.get(name) ?? Promise.resolve(),
    open: (name) => openers.get(name)?.(),
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
