import type { JsonObject } from './json-value.js';

/** Whether an entry starts a gate of ours: `tidegate mcp`, by whatever path, package runner or interpreter. */
export function isGate(entry: JsonObject): boolean {
  const words = [entry['command'], entry['args']].flat().filter((word) => typeof word === 'string');
  const at = words.findIndex((word) =>
    /^tidegate(?:\.(?:c?m?js|cmd|exe))?(?:@[\w.-]+)?$/i.test(baseName(word)),
  );
  return at !== -1 && words.slice(at + 1).some((word) => word === 'mcp' || word === 'mcp-serve');
}

function baseName(word: string): string {
  return word.split(/[\\/]/).at(-1) ?? '';
}
