// Type declarations of the public entry points. tsc emits all of them; only those the entry points use are shipped.
import { spawn } from 'node:child_process';
import { cp, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';

const doors = ['index.d.ts', 'tool/index.d.ts', 'testing/index.d.ts', 'plugin/index.d.ts'];
/** Dependencies of the package, whose types every user has. */
const installed = ['zod'];
const importOf = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"\s,]+)['"]/g;

/** Writes dist/types. Fails if a public type needs a package that users of Tidegate do not have. */
export async function buildTypes(root, dist) {
  const emitted = join(root, '.cache', 'types');
  await runTsc(root);
  const reached = await reach(emitted);
  const target = join(dist, 'types');
  const draft = `${target}.${process.pid}.tmp`;
  for (const file of reached) await copy(file, join(draft, relative(emitted, file)));
  await rm(target, { recursive: true, force: true });
  await rename(draft, target);
}

function runTsc(root) {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
      cwd: root,
      stdio: 'inherit',
    });
    child.on('error', failed);
    child.on('exit', (code) => (code === 0 ? done() : failed(new Error(`tsc exited with ${code}`))));
  });
}

async function reach(emitted) {
  const reached = new Set(doors.map((door) => join(emitted, door)));
  for (const file of reached) {
    for (const specifier of importsOf(await readFile(file, 'utf8'))) {
      if (specifier.startsWith('.')) {
        reached.add(resolve(dirname(file), specifier.replace(/\.js$/, '.d.ts')));
      } else if (!specifier.startsWith('node:') && !installed.includes(specifier)) {
        throw new Error(`${relative(emitted, file)}: a public type needs the package ${specifier}`);
      }
    }
  }
  return reached;
}

function importsOf(text) {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '');
  return [...code.matchAll(importOf)].map(([, specifier]) => specifier);
}

async function copy(from, to) {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to);
}
