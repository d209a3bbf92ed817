/** Runs commands through the service in a process of its own, as any user, and tells results and memory as lines. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { ShellResult } from '../../src/ports/shell.js';

export interface DriverOrder {
  readonly root: string;
  readonly stateDir: string;
  readonly path: string;
  readonly protectedPaths: readonly string[];
  readonly commands: readonly { readonly command: string; readonly timeoutMs: number }[];
}

export interface DriverAnswer {
  readonly result: ShellResult;
  /** The highest memory while the command ran, and what it was before. */
  readonly peakBytes: number;
  readonly beforeBytes: number;
}

export interface DriverUser {
  readonly uid: number;
  readonly gid: number;
}

export interface RunningDriver {
  readonly pid: number;
  readonly answers: Promise<readonly DriverAnswer[]>;
}

const source = fileURLToPath(new URL('shell-driver.main.ts', import.meta.url));

export async function driveShell(order: DriverOrder, user?: DriverUser): Promise<readonly DriverAnswer[]> {
  return (await startDriver(order, user)).answers;
}

export async function startDriver(order: DriverOrder, user?: DriverUser): Promise<RunningDriver> {
  const folder = mkdtempSync(join('/var/tmp', 'tidegate-driver-'));
  const outfile = join(folder, 'driver.mjs');
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  chmodSync(folder, 0o755);
  const child = spawn(process.execPath, ['--expose-gc', outfile], {
    cwd: '/',
    env: { CANARY: 'of the gate' },
    stdio: ['pipe', 'pipe', 'inherit'],
    ...user,
  });
  child.stdin.end(JSON.stringify(order));
  const answers = readAnswers(child).finally(() => rmSync(folder, { recursive: true, force: true }));
  return { pid: child.pid ?? 0, answers };
}

function readAnswers(child: ChildProcessByStdio<Writable, Readable, null>): Promise<readonly DriverAnswer[]> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code !== 0) return reject(new Error(`the driver ended with code ${String(code)}: ${text}`));
      const lines = text.trim().split('\n');
      resolve(lines.map((line) => JSON.parse(line) as DriverAnswer));
    });
  });
}
