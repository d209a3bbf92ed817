// esbuild cuts chunks along who shares what. The more modules are loaded late, the smaller the pieces of what they
// share, and each piece is a file that the start has to find, read and link.
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/**
 * A plugin that keeps together what is loaded together: a module that is loaded late imports what is there by then.
 * `thereBefore` names that for a path; undefined leaves the module as it is.
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

/** Takes out imports of the bundler's own helpers where none of them is used. Blanks keep the source maps right. */
export function withoutIdleHelpers({ outputs }) {
  const idle = Object.keys(outputs)
    .filter((path) => isHelpers(outputs[path]))
    .map((path) => `import"./${basename(path)}";`);
  return (text) => idle.reduce((rest, one) => rest.replace(one, ' '.repeat(one.length)), text);
}

/** The chunk that comes from no source. */
function isHelpers({ inputs, entryPoint, exports }) {
  return entryPoint === undefined && Object.keys(inputs).length === 0 && exports.length > 0;
}

/** The files that are read when these entries are loaded, with what they import at once. */
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
