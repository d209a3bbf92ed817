import { sha256Of } from '../../lib/sha256.js';
import type { ToolSpec } from '../../core/index.js';

/** Tools as shown to the model, and the mapping of its names back to ours. */
export interface ShownTools {
  readonly tools: readonly unknown[];
  /** Maps a called name to ours. Unknown names are passed on, and the gateway rejects them. */
  readonly ourName: (theirs: string) => string;
}

const longest = 64;

/** Tool names allow more characters than function names. Names that are valid stay unchanged. */
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

/** Deterministic, so that the tool list stays stable. */
function freeName(name: string, taken: ReadonlyMap<string, string>): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  if (plain.length <= longest && !taken.has(plain)) return plain;
  const mark = sha256Of(name).slice(0, 8);
  return `${plain.slice(0, longest - 9)}_${mark}`;
}
