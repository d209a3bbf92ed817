// esbuild splits chunks by which entries share a module. The more modules are loaded lazily, the smaller the shared
// pieces, and each piece is a file that must be found, read and linked at startup.
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/**
 * A plugin that keeps modules together that are loaded together: each lazily loaded module imports the module that is
 * already loaded by then. `thereBefore` returns that module for a path; undefined leaves the path unchanged.
 */
export async function wholeChunks(options, thereBefore) {
  const { metafile } = await build({ ...options, metafile: true, write: false, sourcemap: false });
  const entries = Object.values(metafile.outputs).flatMap(({ entryPoint }) => entryPoint ?? []);
  const at = (path) => join(options.absWorkingDir, path);
  const added = new Map(
    entries.flatMap((path) => {
      const before = thereBefore(path);
      return before === undefined ? [] : [[at(path), `\nimport ${JSON.stringify(at(before))};\n`]];
    }),
  );
  return {
    name: 'whole-chunks',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const text = added.get(path);
        return text && { loader: 'ts', contents: `${await readFile(path, 'utf8')}${text}` };
      });
    },
  };
}

/** Removes unused imports of the bundler's helpers. Replaces them with spaces to keep the source maps valid. */
export function withoutIdleHelpers({ outputs }) {
  const idle = Object.keys(outputs)
    .filter((path) => isHelpers(outputs[path]))
    .map((path) => `import"./${basename(path)}";`);
  return (text) => idle.reduce((rest, one) => rest.replace(one, ' '.repeat(one.length)), text);
}

/** The chunk without any source file. */
function isHelpers({ inputs, entryPoint, exports }) {
  return entryPoint === undefined && Object.keys(inputs).length === 0 && exports.length > 0;
}

/** The files that loading these entries reads, including their static imports. */
export function filesOf({ outputs }, entries) {
  const found = new Set();
  const add = (path) => {
    if (found.has(path) || isHelpers(outputs[path])) return;
    found.add(path);
    for (const { path: next, kind, external } of outputs[path].imports)
      if (kind === 'import-statement' && external !== true) add(next);
  };
  for (const [path, { entryPoint }] of Object.entries(outputs)) if (entries.includes(entryPoint)) add(path);
  return [...found];
}
