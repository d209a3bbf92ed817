import type { ToolSet } from './score.mjs';

export const stuffingWays: readonly string[];
export function measureStuffing(
  set: ToolSet,
  way: string,
  fill: (tools: ToolSet['tools']) => Promise<(query: string, k: number) => readonly string[]>,
): Promise<{ readonly way: string; readonly share: number; readonly loss: number }>;
