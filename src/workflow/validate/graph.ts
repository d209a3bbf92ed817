import { nearest } from '../../lib/nearest.js';
import { offsetAt } from '../../lib/tree.js';
import { quote } from '../../lib/source-place.js';
import type { Flaw, Report } from '../finding.js';
import { dependencyCircle } from '../grammar/dependencies.js';
import { childrenOf, leadsOf, type Step, type Workflow } from '../grammar/workflow.js';
import { flawAt } from './flaw-at.js';

/** Which states can run after which: by name, by condition, as a branch or in a loop. */
export interface Graph {
  /** Whether the second state can run after the first has started. */
  readonly canFollow: (first: string, second: string) => boolean;
  /** The step that contains this one as a branch or in its body. */
  readonly parentOf: (name: string) => Step | undefined;
}

export function createGraph({ steps }: Workflow): Graph {
  const parents = new Map<string, Step>();
  for (const step of steps.values()) for (const child of childrenOf(step)) parents.set(child, step);
  const next = new Map([...steps.values()].map((step) => [step.name, successorsOf(step, parents, steps)]));
  const reached = new Map<string, ReadonlySet<string>>();

  function after(name: string): ReadonlySet<string> {
    let found = reached.get(name);
    if (found === undefined) reached.set(name, (found = closure(name, next)));
    return found;
  }

  return {
    canFollow: (first, second) => after(first).has(second),
    parentOf: (name) => parents.get(name),
  };
}

function successorsOf(
  step: Step,
  parents: ReadonlyMap<string, Step>,
  steps: ReadonlyMap<string, Step>,
): readonly string[] {
  const parent = parents.get(step.name);
  const own = [...leadsOf(step).map(({ to }) => to), ...childrenOf(step)];
  if (parent === undefined) return own;
  const siblings = childrenOf(parent);
  const at = siblings.indexOf(step.name);
  // A loop body starts over after its last state; a branch leads only to branches that depend on it.
  const beside =
    parent.kind === 'parallel'
      ? siblings.filter((name) => steps.get(name)?.common.depends_on?.includes(step.name) === true)
      : [siblings[at + 1] ?? siblings[0] ?? ''];
  return [...own, ...beside, ...leadsOf(parent).map(({ to }) => to)];
}

function closure(start: string, next: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...(next.get(start) ?? [])];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    waiting.push(...(next.get(name) ?? []));
  }
  return found;
}

/** Checks state names, transitions, cycles, unreachable states and a reachable end. */
export function checkGraph(workflow: Workflow, report: Report): void {
  checkNames(workflow, report);
  checkWaysOn(workflow, report);
  checkBodies(workflow, report);
  checkDependencies(workflow, report);
  if (workflow.steps.size === 0) return;
  checkReach(workflow, report);
  checkCircles(workflow, report);
}

function checkNames({ texts, steps, unread }: Workflow, report: Report): void {
  for (const { holds, text, source, offset, path } of texts) {
    if (holds !== 'state' || steps.has(text) || unread.has(text)) continue;
    const known = [...steps.keys(), ...unread];
    const near = nearest(text, known);
    report({
      code: 'WORKFLOW.VALIDATION.MISSING_STATE',
      message: `There is no state ${quote(text)}.`,
      source,
      offset,
      path,
      ...(known.length > 0 && {
        remedy: near === undefined ? `Available: ${namesOf(known)}.` : `Did you mean ${near}?`,
      }),
    });
  }
}

const mostNamed = 12;

function namesOf(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return names.slice(0, mostNamed).join(', ') + (more > 0 ? ` and ${String(more)} more` : '');
}

function at(step: Step, code: Flaw['code'], message: string): Flaw {
  return { code, message, source: step.source, offset: step.offset, path: step.path };
}

/** Branches and loop bodies continue at their parent's next state. */
function checkWaysOn(workflow: Workflow, report: Report): void {
  const { parentOf } = createGraph(workflow);
  for (const step of workflow.steps.values()) {
    if (step.kind === 'terminal' || parentOf(step.name) !== undefined) continue;
    if (leadsOf(step).length > 0 || typeof step.common.on_failure === 'object') continue;
    report(at(step, 'WORKFLOW.VALIDATION.INVALID_TRANSITION', `${quote(step.name)} has no next state.`));
  }
}

function checkBodies({ steps }: Workflow, report: Report): void {
  for (const step of steps.values()) {
    const children = childrenOf(step);
    const addFlaw = (message: string): void =>
      report({ ...at(step, 'WORKFLOW.VALIDATION.INVALID_TRANSITION', message), remedy: 'Remove it.' });
    const twice = children.find((name, index) => children.indexOf(name) !== index);
    if (twice !== undefined) addFlaw(`${quote(twice)} is listed twice in ${quote(step.name)}.`);
    if (children.includes(step.name)) addFlaw(`${quote(step.name)} contains itself.`);
    const ending = children.find((name) => steps.get(name)?.kind === 'terminal');
    if (ending !== undefined)
      addFlaw(`${quote(ending)} is terminal and cannot run inside ${quote(step.name)}.`);
  }
}

/** Unlike a cycle of transitions, steps that wait for each other can never continue. */
function checkDependencies({ steps }: Workflow, report: Report): void {
  const circle = dependencyCircle(steps);
  const first = steps.get(circle?.[0] ?? '');
  if (circle === undefined || first === undefined) return;
  report(
    flawAt(
      first,
      ['depends_on'],
      'WORKFLOW.VALIDATION.CYCLE_DETECTED',
      `Steps wait for each other: ${circle.join(' → ')}.`,
      { severity: 'error', remedy: 'Remove one of them from `depends_on`.' },
    ),
  );
}

function checkReach(workflow: Workflow, report: Report): void {
  const { steps, initial, source } = workflow;
  const first = initial === undefined ? undefined : steps.get(initial);
  // A state that could not be read may lead anywhere.
  if (workflow.unread.size > 0) return;
  const all = [...steps.values()];
  const noEnd = (): void =>
    report({
      code: 'WORKFLOW.VALIDATION.NO_TERMINAL_STATE',
      message: 'No terminal state can be reached.',
      source,
      offset: offsetAt(source.root, ['states']),
      path: ['states'],
    });
  if (first === undefined) {
    if (!all.some(({ kind }) => kind === 'terminal')) noEnd();
    return;
  }
  const { canFollow } = createGraph(workflow);
  const isReached = ({ name }: Step): boolean => name === first.name || canFollow(first.name, name);
  if (!all.some((step) => step.kind === 'terminal' && isReached(step))) noEnd();
  for (const step of all) {
    if (!isReached(step))
      report(
        at(step, 'WORKFLOW.VALIDATION.UNREACHABLE_STATE', `No transition leads to ${quote(step.name)}.`),
      );
  }
}

/** Reports each transition that closes a cycle. Loops with for_each or while are not cycles. */
function checkCircles({ steps, initial }: Workflow, report: Report): void {
  const state = new Map<string, 'open' | 'done'>();
  const visit = (step: Step, trail: readonly string[]): void => {
    state.set(step.name, 'open');
    for (const { to, path } of leadsOf(step)) {
      const target = steps.get(to);
      if (target === undefined) continue;
      if (state.get(to) === 'open') {
        const from = trail.includes(to) ? trail.slice(trail.indexOf(to)) : [];
        const circle = [...from, step.name, to];
        const offset = offsetAt(step.source.root, path);
        report({
          ...at(step, 'WORKFLOW.VALIDATION.CYCLE_DETECTED', `States form a cycle: ${circle.join(' → ')}.`),
          offset: offset || step.offset,
          path,
        });
      } else if (!state.has(to)) visit(target, [...trail, step.name]);
    }
    state.set(step.name, 'done');
  };
  const inBodies = new Set([...steps.values()].flatMap(childrenOf));
  const starts = [...(initial === undefined ? [] : [initial]), ...steps.keys()];
  for (const name of starts) {
    const step = steps.get(name);
    if (step !== undefined && !state.has(name) && !inBodies.has(name)) visit(step, []);
  }
}
