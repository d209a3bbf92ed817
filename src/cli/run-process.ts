import { isatty } from 'node:tty';
import type { Context, Input } from './command.js';
import { mcp } from './commands/mcp.js';
import { exitCodes } from './exit-codes.js';
import { parsePlain } from './fast-path.js';
import { Failure } from './failure.js';
import { createOutput, type Sink } from './output.js';
import { runCommand, shown } from './run-command.js';

const neverEnded = 'The command is not over, and nothing is left that it could wait for.';

/** How long an interrupted command may tidy up. */
const patienceMs = 4000;

/** Runs a command line as this process, and ends the process with its status. */
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
  // Every command ends with its status. When nothing is left that could end it, somebody must hear of it.
  process.once('beforeExit', () => process.exit(shown(new Error(neverEnded), context)));
  const code = await dispatch(words, context, (text) => stdout.write(text));
  await Promise.all([...used].map(drained));
  // What went wrong with the last write is told after it.
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

/** A result that could not be written is not a success, whatever the command did. */
function whetherWritten([error]: readonly Error[], stderr: Sink): number {
  if (error === undefined) return exitCodes.ok;
  const failure = new Failure('file.unwritable', `The output cannot be written: ${error.message}.`);
  createOutput(stderr, stderr, false, false).error(failure);
  return failure.exit;
}

/** The streams are touched only when something is written: the protocol may own them. */
function sinkOf(stream: () => NodeJS.WriteStream, used: Set<NodeJS.WriteStream>, lost: Error[]): Sink {
  return {
    write(text) {
      const open = stream();
      // Whoever read this may be gone; that is no reason to crash.
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
    // `drain` comes only where a write was told to wait; this comes behind all that was written.
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

/** A terminal that says nothing of its characters is taken to have the usual ones only. */
function hasSigns(env: NodeJS.ProcessEnv): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8/i.test(locale) && !/^(linux|dumb)$/.test(env['TERM'] ?? '');
}

/** The first signal asks politely; the second, or too much time, ends the process. */
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
    // Without a terminal nobody but us hears of it.
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
    const { ask } = await import('./ask.js');
    // At once: a signal sent to ourselves would arrive after the answer.
    return ask(question, process.stdin, process.stdout, () => process.emit('SIGINT', 'SIGINT'), isHidden);
  },
};
