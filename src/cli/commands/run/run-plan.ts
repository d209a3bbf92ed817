import type { RunOptions } from '../../../features/workflows/index.js';
import { printable } from '../../../config/index.js';
import type { Context } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { noWorkflow } from './run-result.js';
import { findingLine } from './run-view.js';
import { openTidegate } from '../../open-tidegate.js';

/** Prints what a run would do. */
export async function shownPlan(options: RunOptions, { output }: Context): Promise<number> {
  const { describeFinding, planFlow } = await import('../../../features/workflows/index.js');
  const plan = await planFlow(openTidegate, { ...options, workflow: options.workflow ?? '' });
  if (plan.kind === 'unknown') throw noWorkflow(options.workflow ?? '', plan.known);
  const { name, findings, isValid, lines, mermaid, problems } = plan;
  output.json({
    workflow: name,
    valid: isValid,
    findings,
    problems,
    plan: lines,
    mermaid: mermaid.join('\n'),
  });
  const hasFile = options.text === undefined;
  for (const finding of findings)
    output.note(hasFile ? describeFinding(finding) : findingLine(finding, hasFile));
  for (const problem of problems) output.note(printable(problem));
  for (const line of lines) output.line(line);
  output.line();
  output.line('```mermaid');
  for (const line of mermaid) output.line(line);
  output.line('```');
  return isValid ? exitCodes.ok : exitCodes.usage;
}
