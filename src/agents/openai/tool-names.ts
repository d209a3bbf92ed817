import { createHash } from 'node:crypto';
import type { ToolSpec } from '../../kernel/index.js';

/** Tools as the model is shown them, and the way back from its names to ours. */
export interface ShownTools {
  readonly tools: readonly unknown[];
  /** Our name for what the model called. A name that it was not shown is passed on as it is: the gate says no. */
  readonly ourName: (theirs: string) => string;
}

const longest = 64;

/** Names of tools may hold more characters than names of functions. Whoever has a plain name keeps it. */
export function showTools(specs: readonly ToolSpec[]): ShownTools {
  const ours = new Map<string, string>();
  for (const { name } of specs) if (isPlain(name)) ours.set(name, name);
  const shown = specs.map((spec) => {
    const name = isPlain(spec.name) ? spec.name : freeName(spec.name, ours);
    ours.set(name, spec.name);
    const { description, inputSchema } = spec.definition.value as {
      readonly description?: string;
      readonly inputSchema?: unknown;
    };
    return {
      type: 'function',
      function: {
        name,
        ...(description !== undefined && { description }),
        parameters: inputSchema ?? { type: 'object' },
      },
    };
  });
  return { tools: shown, ourName: (theirs) => ours.get(theirs) ?? theirs };
}

function isPlain(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name);
}

/** The same each time for the same name, so that the words to the model stay stable. */
function freeName(name: string, taken: ReadonlyMap<string, string>): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  if (plain.length <= longest && !taken.has(plain)) return plain;
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${plain.slice(0, longest - 9)}_${mark}`;
}
