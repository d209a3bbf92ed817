import { describeProblem, type Problem } from '../config/index.js';

/** The configuration has errors; nothing was opened. */
export class ConfigRefused extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(problems.map(describeProblem).join('\n'));
    this.problems = problems;
  }
}
