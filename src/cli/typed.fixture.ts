// Runs command lines in a temporary folder, for tests.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Context } from './command.js';
import { createOutput } from './terminal/output.js';
import { run } from './run.js';

interface Typed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface TypedPlace {
  readonly folder: string;
  readonly home: string;
  write(name: string, text: string): void;
  /** Runs a command line there, or in a subfolder. Answers simulate a terminal; the last answer is repeated. */
  type(words: readonly string[], below?: string, ...answers: readonly string[]): Promise<Typed>;
  close(): void;
}

export function openTypedPlace(): TypedPlace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-typed-')));
  const folder = join(base, 'work');
  const home = join(base, 'home');
  for (const made of [folder, home]) mkdirSync(made, { mode: 0o700 });
  return {
    folder,
    home,
    write(name, text) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    },
    async type(words, below = '.', ...answers) {
      const left = [...answers];
      const said = { out: '', err: '' };
      const sink = (name: 'out' | 'err') => ({
        write: (text: string) => void (said[name] += text),
        isTerminal: false,
        columns: 80,
      });
      const context: Context = {
        cwd: join(folder, below),
        env: { PATH: process.env['PATH'], HOME: home, TIDEGATE_HOME: home },
        version: '1.2.3',
        output: createOutput(sink('out'), sink('err'), words.includes('--json'), false),
        signal: new AbortController().signal,
        lendTerminal: () => undefined,
        input: {
          isTerminal: answers.length > 0,
          readAll: () => Promise.resolve(''),
          ask: (question) => {
            said.out += question;
            return Promise.resolve((left.length > 1 ? left.shift() : left[0]) ?? '');
          },
        },
      };
      const code = await run(words, context, (text) => void (said.out += text));
      return { code, ...said };
    },
    close: () => rmSync(base, { recursive: true, force: true }),
  };
}
