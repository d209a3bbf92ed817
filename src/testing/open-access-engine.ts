import type { AccessEngine, AccessEngineParts } from '../access/engine/index.js';

/** Opens the engine that evaluates grants, in memory, with your own model and tuples. */
export async function openAccessEngine(parts: AccessEngineParts): Promise<AccessEngine> {
  // Imported on demand, so that users of the fakes don't load it.
  const engine = await import('../access/engine/index.js');
  return engine.openAccessEngine(parts);
}
