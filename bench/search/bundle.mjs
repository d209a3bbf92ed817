import { join } from 'node:path';
import { build } from 'esbuild';

/** The service exactly as in the program, in its own file. */
export async function bundleService(root) {
  const outfile = join(root, '.cache', 'bench-search.mjs');
  await build({
    stdin: {
      contents: `
        export { openSearch } from './src/services/search/index.ts';
        export { listArguments, textArguments } from './src/services/search/arguments.ts';
        export { openProcesses } from './src/services/processes/index.ts';
        export { parseGlob } from './src/services/search/glob.ts';`,
      resolveDir: root,
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: ['@vscode/ripgrep'],
    logLevel: 'warning',
  });
  return outfile;
}
