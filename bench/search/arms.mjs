import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';

/** Different ways to get the same answer; each returns the milliseconds it took. */
export async function openArms(service, tree) {
  const stateDir = await mkdtemp(join(tmpdir(), 'tidegate-bench-'));
  const processes = service.openProcesses({ stateDir });
  const searching = service.openSearch({ roots: [tree], processes, env: {} });
  const search = await searching.serve();
  const { signal } = new AbortController();
  return {
    service: ({ kind, query }) =>
      timed(() => (kind === 'files' ? search.findFiles(query, signal) : search.findText(query, signal))),
    ripgrep: (one) => timed(() => run(sameFlags(service, one), tree)),
    plain: ({ plain }) => timed(() => run(plain, tree)),
    async countFiles() {
      const query = { pattern: '**', order: 'name', limit: 1, includeIgnored: true };
      return (await search.findFiles(query, signal)).totalFiles;
    },
    async close() {
      await searching.close();
      await processes.close();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}

function sameFlags({ textArguments, listArguments, parseGlob }, { kind, query }) {
  if (kind === 'text') return [...textArguments(query, { includeIgnored: true }), '--', './'];
  const { names, depth } = parseGlob([query.pattern]);
  return listArguments(query.order, { includeIgnored: true, names, depth });
}

/** Reads all output, because the answer needs all of it. */
function run(args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(rgPath, args, { cwd, env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.resume();
    child.stderr.resume();
    child.once('error', reject);
    child.once('close', (code) => (code === 2 ? reject(new Error('ripgrep failed')) : resolve()));
  });
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
