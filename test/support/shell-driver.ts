/** Runs commands through the service in a process of its own, as any user, and tells results and memory as lines. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { ShellResult } from '../../src/kernel/shell-port.js';

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

const source = fileURLToPath(new URL('shell-driver.main.ts', import.meta.url));

export async function driveShell(order: DriverOrder, user?: DriverUser): Promise<readonly DriverAnswer[]> {
  const folder = mkdtempSync(join('/var/tmp', 'tidegate-driver-'));
  const outfile = join(folder, 'driver.mjs');
  try {
    await build({
      entryPoints: [source],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    });
    const { chmodSync } = await import('node:fs');
    chmodSync(folder, 0o755);
    return await run(outfile, order, user);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(
  program: string,
  order: DriverOrder,
  user: DriverUser | undefined,
): Promise<readonly DriverAnswer[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--expose-gc', program], {
      cwd: '/',
      env: { CANARY: 'of the gate' },
      stdio: ['pipe', 'pipe', 'inherit'],
      ...user,
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code !== 0) return reject(new Error(`the driver ended with code ${String(code)}: ${text}`));
      resolve(
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as DriverAnswer),
      );
    });
    child.stdin.end(JSON.stringify(order));
  });
}
