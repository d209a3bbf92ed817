import { isatty } from 'node:tty';
import type { Context, Input } from './command.js';
import { mcp } from './commands/gateway/mcp.js';
import { exitCodes } from './exit-codes.js';
import { parsePlain } from './fast-path.js';
import { Failure } from './failure.js';
import { createOutput, type Sink } from './terminal/output.js';
import { runCommand, shown } from './run-command.js';

const neverEnded = 'The command did not finish, but nothing is left to wait for.';

/** How long an interrupted command may clean up. */
const patienceMs = 4000;

/** Runs the command line and exits the process with its status. */
export async function runProcess(words: readonly string[]): Promise<never> {
  const used = new Set<NodeJS.WriteStream>();
  const lost: Error[] = [];
  const stdout = sinkOf(() => process.stdout, used, lost);
  const stderr = sinkOf(() => process.stderr, used, lost);
  const context: Context = {
    cwd: process.cwd(),
    env: process.env,
    version: __TIDEGATE_VERSION__,
    output: createOutput(stdout, stderr, isJson(words), {
      hasColours: hasColours(process.env),
      hasSigns: hasSigns(process.env),
    }),
    ...interruption(),
    input: standardInput,
  };
  // A command must end with a status. Report it if the event loop runs empty first.
  process.once('beforeExit', () => process.exit(shown(new Error(neverEnded), context)));
  const code = await dispatch(words, context, (text) => stdout.write(text));
  await Promise.all([...used].map(drained));
  // Errors of the last write arrive later.
  await new Promise(setImmediate);
  process.exit(code === exitCodes.ok ? whetherWritten(lost, stderr) : code);
}

async function dispatch(
  words: readonly string[],
  context: Context,
  write: (text: string) => void,
): Promise<number> {
  const plain = words[0] === mcp.name ? parsePlain(mcp, words.slice(1)) : undefined;
  if (plain !== undefined) return runCommand(mcp, plain, context);
  const { run } = await import('./run.js');
  return run(words, context, write);
}

/** The command fails if its result could not be written. */
function whetherWritten([error]: readonly Error[], stderr: Sink): number {
  if (error === undefined) return exitCodes.ok;
  const failure = new Failure('file.unwritable', `Cannot write the output: ${error.message}.`);
  createOutput(stderr, stderr, false, false).error(failure);
  return failure.exit;
}

/** Accesses the streams only when something is written, because MCP may own them. */
function sinkOf(stream: () => NodeJS.WriteStream, used: Set<NodeJS.WriteStream>, lost: Error[]): Sink {
  return {
    write(text) {
      const open = stream();
      // The reader may have closed the pipe; that must not crash the process.
      if (!used.has(open)) {
        open.on('error', (error: NodeJS.ErrnoException) => error.code === 'EPIPE' || lost.push(error));
      }
      used.add(open);
      open.write(text);
    },
    get isTerminal() {
      return stream().isTTY;
    },
    get columns() {
      return stream().columns || 80;
    },
  };
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) return resolve();
    // `drain` is only emitted after backpressure; this callback runs after all pending writes.
    stream.write('', () => resolve());
    stream.once('error', () => resolve());
    stream.once('close', resolve);
  });
}

function isJson(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return (end < 0 ? words : words.slice(0, end)).includes('--json');
}

function hasColours(env: NodeJS.ProcessEnv): boolean {
  return !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** Without a UTF-8 locale, assume that the terminal has ASCII only. */
function hasSigns(env: NodeJS.ProcessEnv): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8/i.test(locale) && !/^(linux|dumb)$/.test(env['TERM'] ?? '');
}

/** The first signal aborts the command; the second, or a timeout, ends the process. */
function interruption(): Pick<Context, 'signal' | 'lendTerminal'> {
  const controller = new AbortController();
  let isLent = false;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (isLent && name === 'SIGINT') return;
      if (controller.signal.aborted) process.exit(exitCodes.interrupted);
      controller.abort();
      setTimeout(() => process.exit(exitCodes.interrupted), patienceMs).unref();
    });
  }
  const lendTerminal = (): void => {
    // Without a terminal, the signal reaches only this process.
    isLent = isatty(0);
  };
  return { signal: controller.signal, lendTerminal };
}

const standardInput: Input = {
  get isTerminal() {
    return process.stdin.isTTY && process.stdout.isTTY;
  },
  async readAll() {
    const parts: Buffer[] = [];
    for await (const part of process.stdin) parts.push(part as Buffer);
    return Buffer.concat(parts).toString('utf8');
  },
  async ask(question, isHidden) {
    const { ask } = await import('./terminal/ask.js');
    // Emit directly: a real signal would arrive after the answer.
    return ask(question, process.stdin, process.stdout, () => process.emit('SIGINT', 'SIGINT'), isHidden);
  },
};
