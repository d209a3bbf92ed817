import { spawn, spawnSync } from 'node:child_process';
import { program } from './gate.js';

/** A person at a terminal of the system, with the built program in front of him. */
export interface Terminal {
  /** All that was written so far, without the signs that move the cursor. */
  text(): string;
  /** All that was written so far, as it came. */
  raw(): string;
  /** Waits until the text holds a word, from where the last one was found. */
  sees(word: string): Promise<void>;
  type(text: string): void;
  readonly ended: Promise<number | null>;
}

export interface TerminalParts {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
}

const limitMs = 30_000;

/** Whether this machine has the program that makes terminals. */
export const hasTerminals =
  spawnSync('script', ['-qfec', 'true', '/dev/null'], { stdio: 'ignore' }).status === 0;

export function openTerminal({ args, cwd, env, columns = 80 }: TerminalParts): Terminal {
  const words = [process.execPath, program, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const line = `stty cols ${String(columns)} rows 24; exec ${words.join(' ')}`;
  const child = spawn('script', ['-qfec', line, '/dev/null'], {
    cwd,
    env: { ...env, SHELL: '/bin/sh', TERM: 'xterm', LANG: 'C.UTF-8' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let raw = '';
  let from = 0;
  let wake = (): void => undefined;
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    raw += part;
    wake();
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  const text = (): string => raw.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\r', '');
  return {
    text,
    raw: () => raw,
    async sees(word) {
      const end = Date.now() + limitMs;
      while (!text().includes(word, from)) {
        if (Date.now() > end) throw new Error(`never seen: ${word}\n${text()}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, 200);
        });
      }
      from = text().indexOf(word, from) + word.length;
    },
    type: (given) => void child.stdin.write(given),
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
}
