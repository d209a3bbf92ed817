import type { ChildProcess, ProcessExit } from '../ports/processes.js';
import { createLineReader, type Line } from '../lib/lines.js';
import { type AgentAnswer, AgentFailure, type AgentOrder } from './agent.js';
import type { AgentSocket } from './cli-parts.js';
import { failed, notStarted, failureOf } from './cli-failure.js';
import type { AgentCli, LaunchSettings } from './launch.js';
import type { ModelWatchdog } from './model-watchdog.js';
import { createTaker, newSeen, type Seen } from './take-events.js';

export interface WatchParts {
  readonly cli: AgentCli;
  readonly child: ChildProcess;
  readonly order: AgentOrder;
  readonly socket: AgentSocket;
  readonly settings: LaunchSettings;
  readonly watchdog: ModelWatchdog;
  readonly stdin: string;
}

const longestLine = 64 * 1024 * 1024;
const tailLength = 2000;

/** Reads CLI output until it ends. Ends it at once if its own tool ran. */
export async function watchCli(parts: WatchParts): Promise<AgentAnswer> {
  const { cli, child, order, settings, watchdog, stdin } = parts;
  const seen = newSeen();
  const words = createTail(tailLength);
  const stop = (failure: AgentFailure): void => {
    seen.failure ??= failure;
    void child.close();
  };
  const read = cli.createReader(settings.server);
  const readError = cli.createErrorReader?.();
  const take = createTaker(parts, seen, stop);
  const endOutput = onLines(
    (listener) => child.onOutput(listener),
    (line) => {
      for (const event of read(line)) {
        watchdog.take(event);
        take(event);
      }
    },
  );
  const endErrors = onLines(
    (listener) => child.onErrorOutput(listener),
    (line) => {
      words.add(line);
      for (const event of readError?.(line) ?? []) take(event);
      if (cli.fatal?.test(line) === true) stop(failed(cli, line.trim()));
    },
  );
  void watchdog.givenUp.then(stop);
  const exited = new Promise<ProcessExit>((resolve) => child.onExit(resolve));
  const abort = (): void =>
    stop(new AgentFailure('EXECUTION.WORKFLOW.CANCELLED', `${cli.title} was stopped.`));
  order.signal.addEventListener('abort', abort, { once: true });
  if (order.signal.aborted) abort();
  child.write(stdin);
  child.endInput();
  const exit = await exited;
  endOutput();
  endErrors();
  order.signal.removeEventListener('abort', abort);
  // Ends all its child processes too.
  await child.close();
  return answerOf(parts, seen, exit, words.text());
}

/** Splits output into lines. The returned function flushes the last, possibly incomplete line. */
function onLines(
  listen: (listener: (chunk: Uint8Array) => void) => void,
  take: (line: string) => void,
): () => void {
  const lines = createLineReader(longestLine);
  const takeAll = (read: readonly Line[]): void => {
    for (const line of read) if (line.kind === 'line') take(line.text);
  };
  listen((chunk) => takeAll(lines.push(chunk)));
  return () => takeAll(lines.end());
}

function answerOf(
  { cli, socket, order, settings }: WatchParts,
  seen: Seen,
  { code, signal }: ProcessExit,
  words: string,
): AgentAnswer {
  if (seen.failure !== undefined) throw seen.failure;
  if (seen.error !== undefined) throw failureOf(cli, settings, seen.error.message, seen.error.status);
  if (code !== 0) {
    const how = signal === null ? `it exited with code ${String(code)}` : `it was killed by ${signal}`;
    const why = words === '' ? failed(cli, how) : failureOf(cli, settings, `${how}: ${words}`);
    throw seen.session === '' && seen.turns === 0 && socket.entered() === 0 ? notStarted(cli, why) : why;
  }
  if (settings.isIsolated && socket.entered() === 0) throw failed(cli, 'it never connected to Tidegate');
  if (seen.answer === undefined) throw failed(cli, 'it ended without an answer');
  order.onEvent({ kind: 'message', role: 'assistant', text: seen.answer });
  return {
    text: seen.answer,
    usage: seen.usage,
    turns: Math.max(seen.turns, 1),
    toolCalls: socket.calls() + seen.natives,
    conversation: [{ cli: cli.name, session: seen.session }],
  };
}

/** Keeps the last lines. */
function createTail(most: number): { add(line: string): void; text(): string } {
  let kept = '';
  return {
    add: (line) => {
      kept = `${kept}${line}\n`.slice(-most);
    },
    text: () => kept.trim(),
  };
}
