import { existsSync } from 'node:fs';

/** The suites that cross rooms speak to the built program, so they refuse to start without it. */
export function setup(): void {
  if (existsSync(new URL('../../dist/tidegate.js', import.meta.url))) return;
  throw new Error('dist/tidegate.js does not exist: run `npm run build` first');
}
