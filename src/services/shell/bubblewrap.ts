import { constants } from 'node:fs';
import { access, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { messageOf } from '../../lib/error-message.js';
import type { ChildProcess, Processes, ProcessOrder } from '../../ports/processes.js';
import { isInside } from './inside.js';
import { bareMounts, namespaceArgs } from './mounts.js';
import { sandboxBroken } from './refusals.js';

export interface BubblewrapParts {
  readonly roots: readonly string[];
  readonly processes: Processes;
  readonly path: string;
  readonly log: (line: string) => void;
  /** The state folder, which records that a program worked. Without it, nothing is recorded. */
  readonly stateDir?: string;
}

const trialMs = 10_000;

/** Returns the program if it exists and a trial succeeds. Nothing in a workspace affects the result. */
export async function findBubblewrap(parts: BubblewrapParts): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const program = await searchPath(parts.path, parts.roots);
  if (program === undefined) {
    parts.log('Commands run without a sandbox: there is no bwrap on PATH outside the workspace.');
    return undefined;
  }
  const reason = await tryOut(program, parts.processes);
  const record = parts.stateDir === undefined ? undefined : join(parts.stateDir, 'shell', 'sandbox-works');
  if (reason === undefined) {
    if (record !== undefined) await remember(record, program);
    return program;
  }
  // A command can use up what a sandbox needs, such as namespaces. The next command must not run unsandboxed because of
  // that.
  if (record !== undefined && (await recorded(record)) === program) throw sandboxBroken(program, reason);
  parts.log(`Commands run without a sandbox: ${program} does not work here: ${reason}`);
  return undefined;
}

async function recorded(record: string): Promise<string | undefined> {
  return await readFile(record, 'utf8').catch(() => undefined);
}

async function remember(record: string, program: string): Promise<void> {
  if ((await recorded(record)) === program) return;
  await mkdir(dirname(record), { recursive: true, mode: 0o700 });
  await writeFile(record, program, { mode: 0o600 });
}

async function searchPath(path: string, roots: readonly string[]): Promise<string | undefined> {
  for (const folder of path.split(delimiter).filter((entry) => isAbsolute(entry))) {
    const real = await executableAt(join(folder, 'bwrap'));
    const places = [join(folder, 'bwrap'), await realpath(folder).catch(() => folder), real];
    const isForeign = places.every((place) => !roots.some((root) => isInside(place ?? '', root)));
    if (real !== undefined && isForeign) return real;
  }
  return undefined;
}

async function executableAt(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    await access(real, constants.X_OK);
    return (await stat(real)).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}

/** Why the program can't be used, or undefined if it can. */
async function tryOut(program: string, processes: Processes): Promise<string | undefined> {
  const order: ProcessOrder = {
    owner: 'sandbox trial',
    command: program,
    args: [...namespaceArgs, ...bareMounts(), '--', '/bin/sh', '-c', 'exit 42'],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    input: 'none',
    patience: { afterInputMs: 0, afterTermMs: 500 },
  };
  try {
    const child = await processes.start(order);
    return await outcomeOf(child);
  } catch (error) {
    return messageOf(error);
  }
}

async function outcomeOf(child: ChildProcess): Promise<string | undefined> {
  let said = '';
  child.onErrorOutput((chunk) => {
    if (said.length < 1000) said += Buffer.from(chunk).toString();
  });
  child.onOutput(() => {});
  const exited = new Promise<number | null>((resolve) => child.onExit(({ code }) => resolve(code)));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), trialMs);
  });
  const code = await Promise.race([exited, late]);
  clearTimeout(timer);
  if (code === 42) return undefined;
  await child.close();
  return said.trim() === '' ? `exit code ${String(code)}` : said.trim();
}
