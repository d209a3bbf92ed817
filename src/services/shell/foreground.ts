import { type Exchange, isToolFailure, ToolFailure } from '../../core/index.js';
import { JsonText } from '../../lib/json-text.js';
import type { ShellResult, StreamedEnd } from '../../ports/shell.js';
import type { CommandEnd, CommandRun } from './command-run.js';
import { lockChangedReason } from './refusals.js';

const progressMs = 1000;
const maxLine = 200;
const notSetUpReason = 'sandbox_failed';

/** Waits until a command exits, times out or its call is cancelled, and all its processes have ended. */
export async function attend(run: CommandRun, timeoutMs: number, exchange: Exchange): Promise<ShellResult> {
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    run.end();
  }, timeoutMs);
  const stopListening = exchange.onCancel(() => run.end());
  const stopTelling = tellProgress(run, exchange);
  try {
    const end = await run.ended;
    const output = await run.capture.take({ isLast: true });
    if (exchange.isCancelled) throw cancelled();
    if (!end.hasBegun) throw notSetUp(output.stderr);
    return { ...output, ...resultOf(run, end), timedOut };
  } finally {
    clearTimeout(timer);
    stopListening();
    stopTelling();
    await run.capture.close();
  }
}

/** The same for a command with streamed output, which an abort signal ends. */
export async function attendStream(run: CommandRun, signal: AbortSignal): Promise<StreamedEnd> {
  const stop = () => run.end();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const { exitCode, signal: by, breach, hasBegun } = await run.ended;
    if (!hasBegun) throw notSetUp((await run.capture.take({ isLast: true })).stderr);
    const { sandbox } = run;
    return { exitCode, ...(by && { signal: by }), sandbox, ...(breach !== undefined && { breach }) };
  } finally {
    signal.removeEventListener('abort', stop);
    await run.capture.close();
  }
}

function resultOf(run: CommandRun, end: CommandEnd) {
  const { exitCode, signal, leftovers, hasSurvivors, durationMs, breach } = end;
  const { createdPaths, changedPaths, undonePaths } = end;
  const { sandbox, cwd, reach } = run;
  return {
    exitCode,
    ...(signal && { signal }),
    ...(breach !== undefined && { breach }),
    leftovers,
    hasSurvivors,
    createdPaths,
    changedPaths,
    undonePaths,
    durationMs,
    sandbox,
    ...reach,
    cwd,
  };
}

function tellProgress(run: CommandRun, exchange: Exchange): () => void {
  if (!exchange.wantsProgress) return () => {};
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - run.startedAt) / 1000);
    const line = run.capture.lastLine().slice(0, maxLine);
    const message = line === '' ? `running for ${seconds} s` : `running for ${seconds} s: ${line}`;
    exchange.progress(JsonText.from({ progress: seconds, message }));
  }, progressMs);
  return () => clearInterval(timer);
}

function cancelled(): ToolFailure {
  return new ToolFailure(
    'failed',
    'The call was cancelled; the command and everything it started were stopped.',
    {
      reason: 'cancelled',
    },
  );
}

/** Fails instead of running without the sandbox: otherwise breaking the sandbox would be a way to escape it. */
function notSetUp(errors: string): ToolFailure {
  const words = errors.trim().slice(0, 500);
  return new ToolFailure(
    'failed',
    `The command did not run, because its sandbox could not be set up: ${words}`,
    {
      reason: notSetUpReason,
      suggestion:
        'Check the path in the message. A protected path in the workspace may be in an unexpected state.',
    },
  );
}

/** True if nothing of the command has run. */
export function isNotSetUp(error: unknown): boolean {
  if (!isToolFailure(error)) return false;
  return error.facts.reason === notSetUpReason || error.facts.reason === lockChangedReason;
}
