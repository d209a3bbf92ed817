import { offsetAt, type Path, quote } from '../../kernel/index.js';
import type { Flaw, Report } from '../finding.js';
import { readInputs } from '../grammar/inputs.js';
import type { Workflow } from '../grammar/workflow.js';

/** Names that would change what every command of the workflow does. */
const powerful = /^(?:PATH|HOME|SHELL|IFS|ENV|BASH_ENV|NODE_OPTIONS|PYTHONPATH|LD_.*|DYLD_.*|TIDEGATE_.*)$/;

export function isPowerful(name: string): boolean {
  return powerful.test(name);
}

/** Rules that can be read, and defaults that keep them. */
export function checkInputs(workflow: Workflow, cwd: string, report: Report): void {
  const { source, inputs } = workflow;
  const tell = (code: Flaw['code'], path: Path, message: string): void =>
    report({ code, message, source, offset: offsetAt(source.root, path), path });
  for (const input of inputs) {
    const path = ['inputs', input.at];
    const { pattern } = input.validation ?? {};
    if (pattern !== undefined && !isPattern(pattern)) {
      tell(
        'WORKFLOW.PARSE.INVALID_VALUE',
        [...path, 'validation', 'pattern'],
        `${quote(pattern)} is not a regular expression.`,
      );
    } else if (input.default !== undefined && input.default !== null) {
      for (const problem of readInputs([input], {}, cwd).problems)
        tell('WORKFLOW.PARSE.INVALID_VALUE', [...path, 'default'], problem);
    }
    if (isPowerful(input.name)) {
      tell(
        'WORKFLOW.PARSE.IDLE_FIELD',
        [...path, 'name'],
        `${quote(input.name)} is not given to commands as a variable: it would change what they do.`,
      );
    }
  }
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
