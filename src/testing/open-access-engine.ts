import type { AccessEngine, AccessEngineParts } from '../access/engine/index.js';

/** Opens the engine that decides about grants, on a model and tuples of your own, in memory. */
export async function openAccessEngine(parts: AccessEngineParts): Promise<AccessEngine> {
  // Late, so that whoever only wants the fakes does not load it.
  const engine = await import('../access/engine/index.js');
  return engine.openAccessEngine(parts);
}
