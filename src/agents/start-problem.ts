import { messageOf } from '../lib/error-message.js';
import type { Processes } from '../ports/processes.js';

export interface StartPlace {
  readonly processes: Processes;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Aborted when the time is up: a program that still runs has started. */
  readonly signal: AbortSignal;
}

const maxOutput = 4096;
/** A version query can be killed quickly. */
const patience = { afterInputMs: 0, afterTermMs: 200 };

/** Why a program cannot start, by asking for its version. Undefined if it answers or is only slow. */
export async function startProblem(program: string, place: StartPlace): Promise<string | undefined> {
  const { processes, cwd, env, signal } = place;
  try {
    const order = { owner: 'agent', command: program, args: ['--version'], cwd, env, patience } as const;
    const child = await processes.start({ ...order, input: 'none' });
    let output = '';
    const listen = (chunk: Uint8Array): void => {
      if (output.length < maxOutput) output += Buffer.from(chunk).toString('utf8');
    };
    child.onErrorOutput(listen);
    child.onOutput(listen);
    const code = await new Promise<number | null | undefined>((resolve) => {
      child.onExit((exit) => resolve(exit.code));
      if (signal.aborted) resolve(undefined);
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    await child.close();
    return code === 0 || code === undefined ? undefined : `${endOf(code)}${describe(output)}`;
  } catch (error) {
    return signal.aborted ? undefined : messageOf(error);
  }
}

function endOf(code: number | null): string {
  return code === null ? 'it was killed by a signal' : `it exits with code ${String(code)}`;
}

/** The first line that names an error, because crash reports start with a source position; else the first text line. */
function describe(output: string): string {
  const lines = output.split('\n').map((one) => one.trim());
  const line = lines.find((one) => /^\w*error\b.*:/i.test(one)) ?? lines.find((one) => /[a-z]{3}/i.test(one));
  return line === undefined ? '' : `: ${line.slice(0, 200)}`;
}
