import { fileURLToPath } from 'node:url';

const isBuilt = !import.meta.url.endsWith('.ts');

const built = (name: string): string =>
  fileURLToPath(new URL(isBuilt ? `../${name}` : `../../dist/${name}`, import.meta.url));

/** The Tidegate program. */
export const programFile = built('tidegate.js');
/** `tidegate mcp-serve` only: what an agent starts to connect to the gateway. */
export const shimFile = built('mcp-serve.cjs');
