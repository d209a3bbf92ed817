import { isPowerful } from '../validate/inputs.js';
import type { Frame } from './frame.js';
import { Cancelled, StepFailure } from './result.js';
import { createTail } from './tail.js';

export interface ShellOrder {
  readonly owner: string;
  /** A line for the shell; or, with `program`, its argument is left out. */
  readonly command: string;
  /** Run directly instead. */
  readonly program?: string;
  readonly dir?: string;
  readonly maxBytes?: number;
  readonly encoding?: string;
  readonly onOutput?: (stream: 'stdout' | 'stderr', text: string) => void;
}

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const usualBytes = 1024 * 1024;
const patience = { afterInputMs: 0, afterTermMs: 500 };

/** Runs a command to its end, or ends it and all that it started when the signal says so. */
export async function runShell(order: ShellOrder, frame: Frame, signal: AbortSignal): Promise<Ran> {
  const { parts } = frame;
  const env = environmentOf(frame);
  const shell = env['SHELL']?.startsWith('/') === true ? env['SHELL'] : '/bin/sh';
  const child = await parts.processes
    .start({
      owner: order.owner,
      command: order.program ?? shell,
      args: order.program === undefined ? ['-c', order.command] : [],
      cwd: order.dir ?? parts.library.cwd,
      env,
      input: 'none',
      patience,
    })
    .catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StepFailure('EXECUTION.COMMAND.FAILED', `The command could not be started: ${reason}`, {
        exitCode: 127,
      });
    });
  const [out, err] = (['stdout', 'stderr'] as const).map((stream) => {
    const { maxBytes = usualBytes, encoding = 'utf-8', onOutput } = order;
    return createTail({
      maxBytes,
      encoding,
      ...(onOutput && { onText: (text: string) => onOutput(stream, text) }),
    });
  });
  child.onOutput((chunk) => out?.add(chunk));
  child.onErrorOutput((chunk) => err?.add(chunk));
  const stop = (): void => void child.close();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const exit = await new Promise<{ readonly code: number | null; readonly signal: string | null }>(
    (resolve) => child.onExit(resolve),
  );
  signal.removeEventListener('abort', stop);
  await child.close();
  const ran = { exitCode: exit.code ?? 128, stdout: out?.text() ?? '', stderr: err?.text() ?? '' };
  if (signal.aborted) throw new Cancelled('The command was stopped.');
  return ran;
}

/** The operator's own environment, and each input under its name. */
function environmentOf({ parts, inputs }: Frame): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(parts.env)) if (value !== undefined) env[name] = value;
  for (const [name, value] of Object.entries(inputs)) {
    if (/^[A-Za-z_]\w*$/.test(name) && !isPowerful(name)) env[name] = String(value);
  }
  return env;
}
