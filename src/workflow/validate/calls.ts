import { quote } from '../../lib/source-place.js';
import type { Report } from '../finding.js';
import type { StepOf, Workflow } from '../grammar/workflow.js';
import type { Library } from '../library.js';
import { flawAt } from './flaw-at.js';

/** Maximum depth of nested workflow calls. */
export const deepestCall = 10;

/** Checks that called workflows exist, form no cycle and get their required inputs. */
export function checkCalls(workflow: Workflow, library: Library, report: Report): void {
  for (const step of workflow.steps.values()) {
    if (step.kind !== 'call_workflow' || step.own.workflow === undefined) continue;
    const name = step.own.workflow;
    const file = library.find(name, step.source.file);
    if (file === undefined) {
      report(
        flawAt(
          step,
          ['workflow'],
          'WORKFLOW.VALIDATION.UNDEFINED_SUBWORKFLOW',
          `There is no workflow ${quote(name)}.`,
        ),
      );
      continue;
    }
    const trail = circleFrom(file, [workflow.source.file], library);
    if (trail === 'deep') {
      const message = `Workflow calls are nested more than ${deepestCall} levels deep.`;
      report(flawAt(step, ['workflow'], 'WORKFLOW.VALIDATION.NESTING_TOO_DEEP', message));
    } else if (trail !== undefined) {
      const message = `Workflows call each other in a cycle: ${trail.join(' → ')}.`;
      report(flawAt(step, ['workflow'], 'WORKFLOW.VALIDATION.CIRCULAR_CALL', message));
    } else checkInputs(step, library.load(file).workflow, report);
  }
}

function circleFrom(
  file: string,
  trail: readonly string[],
  library: Library,
): readonly string[] | 'deep' | undefined {
  if (trail.includes(file)) return [...trail, file].map((one) => library.load(one).workflow.name);
  if (trail.length > deepestCall) return 'deep';
  for (const step of library.load(file).workflow.steps.values()) {
    if (step.kind !== 'call_workflow' || step.own.workflow === undefined) continue;
    const next = library.find(step.own.workflow, file);
    const found = next === undefined ? undefined : circleFrom(next, [...trail, file], library);
    if (found !== undefined) return found;
  }
  return undefined;
}

function checkInputs(step: StepOf<'call_workflow'>, called: Workflow, report: Report): void {
  const { inputs } = step.own;
  const given = typeof inputs === 'object' && inputs !== null ? Object.keys(inputs) : [];
  for (const { name, required, default: fallback } of called.inputs) {
    if (required !== true || fallback !== undefined || given.includes(name)) continue;
    report(
      flawAt(
        step,
        ['inputs'],
        'WORKFLOW.VALIDATION.UNDEFINED_INPUT',
        `${quote(called.name)} requires the input ${quote(name)}.`,
        {
          remedy: `Add ${name} to inputs.`,
        },
      ),
    );
  }
  for (const name of given) {
    if (called.inputs.some((input) => input.name === name)) continue;
    const message = `${quote(called.name)} has no input ${quote(name)}.`;
    report(flawAt(step, ['inputs', name], 'WORKFLOW.VALIDATION.UNDEFINED_INPUT', message));
  }
}
