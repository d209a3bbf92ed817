import type { ToolSpec } from './tool.js';

/**
 * The tools that a session can see, at one revision of its rights and of the providers' lists. Never changes: another
 * revision is another value.
 */
export interface VisibleTools {
  readonly revision: number;
  readonly list: readonly ToolSpec[];
  get(name: string): ToolSpec | undefined;
}
