import type { Reach, ToolModule } from '../../kernel/index.js';

/** A tool that the gate itself brings: it shows nobody more than he has, so it follows other rules than grants. */
export function partOfGate(tool: ToolModule, reach: Reach): ToolModule {
  return Object.freeze({ ...tool, reach });
}
