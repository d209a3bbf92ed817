import { wholeNumber } from '../../expression/evaluate.js';
import { listFromText } from '../../grammar/list-text.js';
import type { StepOf } from '../../grammar/workflow.js';
import { createReader, failing, type Frame, type Place } from '../frame.js';
import { Cancelled, type Done, StepFailure } from '../result.js';
import type { LoopPlace } from '../scope.js';

type Loop = StepOf<'for_each'> | StepOf<'while'>;

const usualRounds = 100;
const mostRounds = 10_000;

/** Runs the body once for each item, or while a condition is true. */
export async function runLoop(step: Loop, frame: Frame, place: Place): Promise<Done> {
  const { journal } = frame;
  const most = journal.decide(`${place.key}/rounds`, () => roundsOf(step, frame, place));
  const items =
    step.kind === 'for_each'
      ? journal.decide(`${place.key}/items`, () => itemsOf(step, frame, place))
      : undefined;
  if (items !== undefined && items.length > most) {
    const text = `${String(items.length)} items, but max_iterations limits the loop to ${String(most)}`;
    frame.parts.onEvent({ kind: 'log', path: place.path, text, isWarning: true });
  }
  const length = items === undefined ? -1 : Math.min(items.length, most);
  let rounds = 0;
  for (let index = 0; index < most && (items === undefined || index < items.length); index += 1) {
    const loop: LoopPlace = {
      item: items?.[index] ?? null,
      index,
      length,
      ...(place.loop && { parent: place.loop }),
    };
    const key = `${place.key}/${String(index)}`;
    if (step.kind === 'while' && !journal.decide(`${key}/while`, () => isOn(step, frame, loop))) break;
    if (place.signal.aborted) throw new Cancelled('The loop was stopped.');
    const leftTo = await runRound(step, frame, {
      ...place,
      loop,
      key,
      path: `${place.path}[${String(index)}]`,
    });
    rounds = index + 1;
    if (leftTo !== undefined) return { ...counted(rounds), leftTo };
    if (journal.decide(`${key}/break`, () => isBroken(step, frame, loop))) break;
  }
  return counted(rounds);
}

function counted(rounds: number): Done {
  return { output: `${String(rounds)} rounds`, response: { iterations: rounds } };
}

function isOn({ name, own }: StepOf<'while'>, frame: Frame, loop: LoopPlace): boolean {
  return createReader(frame, name, loop).holds(own.while ?? 'false');
}

function isBroken({ name, own }: Loop, frame: Frame, loop: LoopPlace): boolean {
  return own.break_when !== undefined && createReader(frame, name, loop).holds(own.break_when);
}

function roundsOf({ name, own }: Loop, frame: Frame, place: Place): number {
  const { max_iterations: written } = own;
  if (written === undefined || written === 0) return usualRounds;
  if (typeof written === 'number') return written;
  const reader = createReader(frame, name, place.loop);
  return failing(() => wholeNumber(reader.text(written).trim(), reader.names, 1, mostRounds));
}

function itemsOf({ name, own }: StepOf<'for_each'>, frame: Frame, place: Place): readonly unknown[] {
  const reader = createReader(frame, name, place.loop);
  const given = reader.data(own.items);
  if (Array.isArray(given)) return given;
  if (typeof given !== 'string')
    throw new StepFailure('EXECUTION.STEP.BAD_VALUE', `The items of ${name} must be a list.`);
  return listFromText(given);
}

/** Runs the body in order, unless a transition leads elsewhere. Returns the state outside the loop, if any. */
async function runRound(step: Loop, frame: Frame, place: Place): Promise<string | undefined> {
  const body = step.own.body ?? [];
  const visits = new Map<string, number>();
  for (let at = 0; at < body.length; ) {
    const name = body[at] ?? '';
    const inner = frame.workflow.steps.get(name);
    if (inner === undefined)
      throw new StepFailure('WORKFLOW.VALIDATION.MISSING_STATE', `There is no state ${name}.`);
    const visit = (visits.get(name) ?? 0) + 1;
    visits.set(name, visit);
    const key = `${place.key}/${name}${visit === 1 ? '' : `~${String(visit)}`}`;
    const { result, next } = await frame.execute(inner, frame, {
      ...place,
      key,
      path: `${place.path}.${name}`,
    });
    const isGood = result.status === 'completed' || inner.common.continue_on_error === true;
    const { to, isChosen = false } = next.way ?? {};
    const target = to === undefined ? -1 : body.indexOf(to);
    // A transition back to the loop, by condition or after a failure, starts the next iteration.
    if (to === step.name && (isChosen || !isGood)) return undefined;
    if (isGood && !isChosen) at += 1;
    else if (target !== -1) at = target;
    else if (isChosen) return to;
    else throw new StepFailure('EXECUTION.LOOP.FAILED', `${name} failed: ${result.error?.message ?? ''}`);
  }
  return undefined;
}
