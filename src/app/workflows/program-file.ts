import { fileURLToPath } from 'node:url';

const isBuilt = !import.meta.url.endsWith('.ts');

/** The program itself, as an agent starts it to reach the gate. */
export const programFile = fileURLToPath(
  new URL(isBuilt ? '../tidegate.js' : '../../../dist/tidegate.js', import.meta.url),
);
