import { fileURLToPath } from 'node:url';

const isBuilt = !import.meta.url.endsWith('.ts');

const built = (name: string): string =>
  fileURLToPath(new URL(isBuilt ? `../${name}` : `../../../dist/${name}`, import.meta.url));

/** The program itself. */
export const programFile = built('tidegate.js');
/** `tidegate mcp-serve` alone: what an agent starts to reach the gate. */
export const shimFile = built('mcp-serve.cjs');
