import type { Gateway } from '../gateway/index.js';
import type { Log } from '../kernel/index.js';

/** Gives what tells the operator of each provider that is left out because of a name, once for each reason. */
export function createCollisionTeller(gateway: Gateway, log: Log): () => void {
  let told = new Set<string>();
  return () => {
    const colliding = new Set(gateway.collisions().map(({ second }) => second));
    const lines = gateway
      .status()
      .filter(({ id }) => colliding.has(id))
      .map(({ id, detail = '' }) => `${id} is left out: ${detail}`);
    for (const line of lines) if (!told.has(line)) log('error', line);
    told = new Set(lines);
  };
}
