import { spawn } from 'node:child_process';
import { program, waitFor } from './gate.js';
import { describeProcess, findMarked } from './proc.js';

/** The built program at work. It and all that it starts can be found, however they hide. */
export interface MarkedRun {
  readonly pid: number;
  said(): string;
  /** Waits until it has said the word. */
  says(word: string, limitMs: number): Promise<void>;
  /** What of it runs now. */
  running(): readonly number[];
  /** Sends the signal and waits for the end of all that is marked. What is left after the time is named, and killed. */
  end(signal: NodeJS.Signals, limitMs: number): Promise<Ended>;
}

export interface Ended {
  readonly left: readonly string[];
  readonly tookMs: number;
}

export interface MarkedParts {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Unlike any other: it stands in the environment of all that is started. */
  readonly mark: string;
  /** Further texts that only its processes have in their arguments or environment. */
  readonly places?: readonly string[];
}

export function startMarked(
  args: readonly string[],
  { cwd, env, mark, places = [] }: MarkedParts,
): MarkedRun {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { ...env, RUN_MARK: mark },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // From the beginning: a short run may be over before it is ended.
  const gone = new Promise((resolve) => child.once('exit', resolve));
  let said = '';
  child.stdout.on('data', (part: Buffer) => (said += part.toString()));
  child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  const running = (): readonly number[] => [mark, ...places].flatMap(findMarked);
  return {
    pid: child.pid ?? 0,
    said: () => said,
    says: (word, limitMs) =>
      waitFor(
        () => said.includes(word),
        limitMs,
        () => `it never said ${word}: ${said}`,
      ),
    running,
    async end(signal, limitMs) {
      const started = performance.now();
      child.kill(signal);
      await gone;
      return endedWithin(running, limitMs, started);
    },
  };
}

/** Waits until nothing is left. */
export async function endedWithin(
  running: () => readonly number[],
  limitMs: number,
  started = performance.now(),
): Promise<Ended> {
  const until = performance.now() + limitMs;
  while (running().length > 0 && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 50));
  const left = running();
  const names = left.map(describeProcess);
  for (const pid of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended meanwhile.
    }
  }
  return { left: names, tookMs: performance.now() - started };
}
