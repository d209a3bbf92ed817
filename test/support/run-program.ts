import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { type Place, program } from './gate.js';

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunMore {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What the program reads from standard input; nothing when left out. */
  readonly input?: string;
  /** Flags of Node itself, before the program. */
  readonly node?: readonly string[];
  readonly limitMs?: number;
  /** Another copy of Tidegate than the built one. */
  readonly program?: string;
  /** The file that takes what the program prints, in place of the result. */
  readonly stdout?: string;
}

const mostMs = 60_000;

/** Runs a command of the program to its end, while the test itself goes on answering. */
export function runGate(
  place: Pick<Place, 'directory' | 'env'>,
  args: readonly string[],
  more: RunMore = {},
): Promise<Ran> {
  const {
    env = place.env,
    cwd = join(place.directory, 'workspace'),
    input,
    node = [],
    limitMs = mostMs,
    stdout: file,
    program: copy = program,
  } = more;
  const printed = file === undefined ? 'pipe' : openSync(file, 'w');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...node, copy, ...args], {
      cwd,
      env,
      stdio: [input === undefined ? 'ignore' : 'pipe', printed, 'pipe'],
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (part: string) => (stdout += part));
    child.stderr?.setEncoding('utf8').on('data', (part: string) => (stderr += part));
    child.stdin?.end(input);
    child.once('error', reject);
    child.once('close', (status) => {
      if (typeof printed === 'number') closeSync(printed);
      clearTimeout(timer);
      resolve({ status, stdout, stderr });
    });
  });
}
