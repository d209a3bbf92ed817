// Packs the package like npm does, and checks the result with publint and attw.
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './run-command.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, '.cache');
const bin = (name) => join(root, 'node_modules', '.bin', name);

async function main() {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'pack-'));
  try {
    const packed = await run('npm', [
      'pack',
      '--ignore-scripts',
      '--loglevel=error',
      '--pack-destination',
      folder,
    ]);
    if (!packed) return false;
    const tarball = join(folder, (await readdir(folder))[0]);
    const isShaped = await run(bin('publint'), ['run', tarball, '--strict']);
    const isTyped = await run(bin('attw'), [
      tarball,
      '--profile',
      'esm-only',
      '--no-definitely-typed',
      '--no-emoji',
    ]);
    return isShaped && isTyped;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(command, args) {
  const { code, output } = await runCommand(command, args, { cwd: root, limitMs: 120_000 });
  console.log(output.trimEnd());
  return code === 0;
}

if (!(await main())) process.exitCode = 1;
