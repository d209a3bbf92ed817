import { messageOf } from '../../lib/error-message.js';
import { isToolFailure, type ToolFailure } from '../../core/index.js';
import { rawText } from '../template/functions.js';
import { isPowerful } from '../validate/inputs.js';
import type { Frame } from './frame.js';
import { Cancelled, StepFailure } from './result.js';
import { createTail } from './tail.js';

export interface ShellOrder {
  readonly owner: string;
  /** A shell command; with `program`, the content of that file. */
  readonly command: string;
  /** A program to start directly instead. */
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

type Stream = 'stdout' | 'stderr';
type OnChunk = (stream: Stream, chunk: Uint8Array) => void;

interface Ended {
  readonly exitCode: number;
  /** The limit that the command exceeded. */
  readonly breach?: string;
}

const usualBytes = 1024 * 1024;
const patience = { afterInputMs: 0, afterTermMs: 500 };

/** Runs a command. When the signal aborts, ends the command and every process it started. */
export async function runShell(order: ShellOrder, frame: Frame, signal: AbortSignal): Promise<Ran> {
  const { maxBytes = usualBytes, encoding = 'utf-8', onOutput } = order;
  const tailOf = (stream: Stream) =>
    createTail({
      maxBytes,
      encoding,
      ...(onOutput && { onText: (text: string) => onOutput(stream, text) }),
    });
  const tails = { stdout: tailOf('stdout'), stderr: tailOf('stderr') };
  const run = frame.parts.sandbox === undefined ? runDirectly : runInSandbox;
  const { exitCode, breach } = await run(order, frame, signal, (stream, chunk) => tails[stream].add(chunk));
  const ran = { exitCode, stdout: tails.stdout.text(), stderr: tails.stderr.text() };
  if (signal.aborted) throw new Cancelled('The command was stopped.');
  if (breach === undefined) return ran;
  throw new StepFailure('EXECUTION.COMMAND.FAILED', breach, { ...ran, output: ran.stdout });
}

async function runDirectly(
  order: ShellOrder,
  frame: Frame,
  signal: AbortSignal,
  onChunk: OnChunk,
): Promise<Ended> {
  const { parts } = frame;
  const env = { ...ownEnvironment(parts.env), ...inputVariables(frame) };
  const child = await parts.processes
    .start({
      owner: order.owner,
      command: order.program ?? shellOf(env) ?? '/bin/sh',
      args: order.program === undefined ? ['-c', order.command] : [],
      cwd: order.dir ?? parts.library.cwd,
      env,
      input: 'none',
      patience,
    })
    .catch((error: unknown) => {
      const reason = messageOf(error);
      throw notStarted(reason);
    });
  child.onOutput((chunk) => onChunk('stdout', chunk));
  child.onErrorOutput((chunk) => onChunk('stderr', chunk));
  const stop = (): void => void child.close();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const exit = await new Promise<{ readonly code: number | null }>((resolve) => child.onExit(resolve));
  signal.removeEventListener('abort', stop);
  await child.close();
  return { exitCode: exit.code ?? 128 };
}

/** Runs in the sandbox of `Bash`, because files that agents can write may decide what a command does. */
async function runInSandbox(
  order: ShellOrder,
  frame: Frame,
  signal: AbortSignal,
  onChunk: OnChunk,
): Promise<Ended> {
  const { sandbox, env, library } = frame.parts;
  if (sandbox === undefined) throw new Error('no sandbox available');
  const interpreter = shellOf(env);
  try {
    return await sandbox.stream({
      command: order.program === undefined ? order.command : asProgram(order.command),
      cwd: order.dir ?? library.cwd,
      env: inputVariables(frame),
      ...(interpreter !== undefined && order.program === undefined && { interpreter }),
      signal,
      onOutput: onChunk,
    });
  } catch (error) {
    if (!isToolFailure(error)) throw error;
    throw refusedBySandbox(error);
  }
}

function refusedBySandbox({ code, message, facts }: ToolFailure): StepFailure {
  if (code !== 'refused') return notStarted(message);
  return new StepFailure(
    'EXECUTION.COMMAND.NO_SANDBOX',
    `Commands in a run started by an agent require the Bash sandbox: ${message}`,
    { exitCode: 126 },
    facts.suggestion,
  );
}

function notStarted(reason: string): StepFailure {
  return new StepFailure('EXECUTION.COMMAND.FAILED', `The command could not be started: ${reason}`, {
    exitCode: 127,
  });
}

/** The run folder is hidden in the sandbox, so the script is copied to the `/tmp` of the sandbox. */
function asProgram(text: string): string {
  const quoted = `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return [
    'tidegate_script=$(mktemp) || exit 126',
    `printf %s ${quoted} >"$tidegate_script" && chmod 700 "$tidegate_script" && "$tidegate_script"`,
    'tidegate_code=$?; rm -f "$tidegate_script"; exit "$tidegate_code"',
  ].join('\n');
}

function shellOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env['SHELL']?.startsWith('/') === true ? env['SHELL'] : undefined;
}

function ownEnvironment(given: Frame['parts']['env']): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) if (value !== undefined) env[name] = value;
  return env;
}

function inputVariables({ inputs }: Frame): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(inputs)) {
    if (/^[A-Za-z_]\w*$/.test(name) && !isPowerful(name)) env[name] = rawText(value);
  }
  return env;
}
