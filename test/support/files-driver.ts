/** The file service in processes of its own: to be killed, to compete with each other, and to be measured. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { FileTool } from './file-place.js';

export interface DriverPlace {
  readonly root: string;
  readonly stateDir: string;
}

export type DriverOrder = DriverPlace &
  (
    | { readonly job: 'write' | 'write carelessly'; readonly path: string; readonly bytes: number }
    | {
        readonly job: 'count' | 'count carelessly';
        readonly path: string;
        readonly sessions: number;
        readonly times: number;
      }
    | { readonly job: 'call'; readonly calls: readonly DriverCall[] }
  );

export interface DriverCall {
  readonly tool: FileTool | 'read whole';
  readonly input: Readonly<Record<string, unknown>> & { readonly file_path: string };
}

export interface CountReport {
  readonly won: number;
  /** Told that somebody else was first. */
  readonly told: number;
  /** Failed in any other way. */
  readonly odd: readonly string[];
}

export interface CallReport {
  readonly answer: string;
  readonly beforeBytes: number;
  readonly peakBytes: number;
}

export interface Driver {
  start(order: DriverOrder, under?: readonly string[]): Driven;
  close(): void;
}

export interface Driven {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  /** The next line that it tells. */
  next(): Promise<string>;
  /** Resolves when it has ended by itself, and rejects when it failed. */
  ended(): Promise<void>;
}

export async function openDriver(): Promise<Driver> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-files-driver-'));
  const outfile = join(folder, 'driver.mjs');
  const source = fileURLToPath(new URL('files-driver.main.ts', import.meta.url));
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return {
    start: (order, under = []) => start([...under, process.execPath, '--expose-gc', outfile], order),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function start([command = '', ...args]: readonly string[], order: DriverOrder): Driven {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exit = once(child, 'exit');
  child.stdin.end(JSON.stringify(order));
  return {
    child,
    async next() {
      const { value, done } = await lines.next();
      if (done) throw new Error('the driver ended without a word');
      return value;
    },
    async ended() {
      const [code, signal] = (await exit) as [number | null, string | null];
      if (code !== 0) throw new Error(`the driver ended with ${code ?? signal ?? 'nothing'}`);
    },
  };
}
