import { describe, expect, it } from 'vitest';
import type { ChildProcess, ProcessExit } from '../ports/processes.js';
import { type AgentAnswer, type AgentEvent, AgentFailure, type AgentOrder } from './agent.js';
import { claude } from './claude.js';
import { codex } from './codex.js';
import type { AgentCli } from './launch.js';
import { opencode } from './opencode.js';
import { openModelWatchdog } from './model-watchdog.js';
import { planSettings } from './plan-settings.fixture.js';
import { watchCli } from './watch-cli.js';

interface Said {
  readonly cli: AgentCli;
  readonly lines: readonly object[];
  readonly errors?: string;
  readonly exit?: ProcessExit;
  readonly isIsolated?: boolean;
  readonly entered?: number;
}

const fine: ProcessExit = { code: 0, signal: null };
const text = (said: string) => ({ type: 'text', sessionID: 's1', part: { text: said } });
const stop = {
  type: 'step_finish',
  sessionID: 's1',
  part: { reason: 'stop', tokens: { input: 7, output: 2 } },
};
const error = {
  type: 'error',
  sessionID: 's1',
  error: { name: 'APIError', data: { message: 'Overloaded' } },
};

/** A program that prints everything at once and exits; when killed, it reports that. */
function saying({ lines, errors = '', exit = fine }: Said): ChildProcess & { readonly written: string[] } {
  const written: string[] = [];
  const bytes = (said: string) => new TextEncoder().encode(said);
  let end = (_exit: ProcessExit): void => undefined;
  let [out, err] = [(_: Uint8Array): void => undefined, (_: Uint8Array): void => undefined];
  return {
    written,
    pid: 1,
    write: (said) => written.push(said) > 0,
    onDrain: () => undefined,
    endInput() {
      for (const line of lines) out(bytes(`${JSON.stringify(line)}\n`));
      err(bytes(errors));
      end(exit);
    },
    onOutput: (listener) => (out = listener),
    onErrorOutput: (listener) => (err = listener),
    onNotes: () => undefined,
    onExit: (listener) => (end = listener),
    pauseOutput: () => undefined,
    resumeOutput: () => undefined,
    pauseErrorOutput: () => undefined,
    resumeErrorOutput: () => undefined,
    close() {
      end({ code: null, signal: 'SIGTERM' });
      return Promise.resolve({ isGone: true, ended: 0 });
    },
  };
}

async function watch(said: Said): Promise<{ answer: AgentAnswer | AgentFailure; events: AgentEvent[] }> {
  const { cli, isIsolated = true, entered = 1 } = said;
  const events: AgentEvent[] = [];
  const onEvent = (event: AgentEvent): void => void events.push(event);
  const settings = planSettings({ isIsolated });
  const watchdog = openModelWatchdog({ cli, asked: settings, onEvent });
  const order = { signal: new AbortController().signal, onEvent } as unknown as AgentOrder;
  const socket = {
    name: settings.server,
    gatewayCommand: settings.gatewayCommand,
    entered: () => entered,
    calls: () => 1,
    close: () => Promise.resolve(),
  };
  const child = saying(said);
  try {
    const answer = await watchCli({ cli, child, order, socket, settings, watchdog, stdin: 'go' });
    return { answer, events };
  } catch (failure) {
    if (failure instanceof AgentFailure) return { answer: failure, events };
    throw failure;
  } finally {
    watchdog.close();
    expect(child.written).toEqual(['go']);
  }
}

describe('watching a CLI', () => {
  it('returns its answer with the usage and the session to resume', async () => {
    const { answer, events } = await watch({ cli: opencode, lines: [text('all '), text('done'), stop] });
    expect(answer).toEqual({
      text: 'all done',
      usage: { input: 7, output: 2, isEstimated: false, cost: 0 },
      turns: 1,
      toolCalls: 1,
      conversation: [{ cli: 'opencode', session: 's1' }],
    });
    expect(events.map(({ kind }) => kind)).toEqual(['text', 'text', 'usage', 'message']);
  });

  it('reports a failure with its code', async () => {
    const { answer } = await watch({ cli: opencode, lines: [error], exit: { code: 1, signal: null } });
    expect(answer).toMatchObject({ code: 'EXECUTION.AGENT.UNAVAILABLE' });
  });

  it('accepts an answer after an error, but no error after an answer', async () => {
    const after = await watch({ cli: opencode, lines: [error, text('done'), stop] });
    expect(after.answer).toMatchObject({ text: 'done' });
    const before = await watch({ cli: opencode, lines: [text('done'), stop, error] });
    expect(before.answer).toMatchObject({ code: 'EXECUTION.AGENT.UNAVAILABLE' });
  });

  it('reports retries of model requests', async () => {
    const again = { type: 'system', subtype: 'api_retry', attempt: 2, max_retries: 10, retry_delay_ms: 900 };
    const { events } = await watch({ cli: claude, lines: [{ ...again, error_status: 529 }] });
    expect(events).toContainEqual({ kind: 'retry', reason: 'status 529, attempt 2 of 10', waitMs: 900 });
    const network = { type: 'error', message: 'Reconnecting... 1/5' };
    expect((await watch({ cli: codex, lines: [network] })).events).toContainEqual({
      kind: 'retry',
      reason: 'Reconnecting... 1/5',
    });
  });

  it('quotes the last output of a crashed CLI', async () => {
    const exit = { code: 41, signal: null };
    const { answer } = await watch({ cli: claude, lines: [], errors: 'Please run /login\n', exit });
    expect(answer).toMatchObject({ code: 'EXECUTION.AGENT.UNAUTHORIZED', next: 'claude auth login' });
    const silent = await watch({ cli: claude, lines: [], exit: { code: null, signal: 'SIGSEGV' } });
    expect(silent.answer).toMatchObject({ message: 'Claude Code failed: it was killed by SIGSEGV.' });
  });

  it('rejects an answer from a CLI that never connected to the gateway, unless it keeps its own tools', async () => {
    const lines = [text('done'), stop];
    const { answer } = await watch({ cli: opencode, lines, entered: 0 });
    expect(answer).toMatchObject({ code: 'EXECUTION.AGENT.FAILED' });
    expect((await watch({ cli: opencode, lines, entered: 0, isIsolated: false })).answer).toHaveProperty(
      'text',
    );
  });

  it('fails at once if its own tool ran, and only reports it if it keeps its tools', async () => {
    const state = { status: 'completed', input: { command: 'x' }, output: 'y' };
    const ran = { type: 'tool_use', sessionID: 's1', part: { tool: 'bash', callID: 'c', state } };
    const lines = [ran, text('done'), stop];
    const { answer, events } = await watch({ cli: opencode, lines });
    expect(answer).toMatchObject({ code: 'EXECUTION.AGENT.BYPASSED' });
    expect(events).toContainEqual({ kind: 'bypass', name: 'bash', input: state.input, text: 'y' });
    const kept = await watch({ cli: opencode, lines, isIsolated: false });
    expect(kept.answer).toMatchObject({ toolCalls: 2 });
    expect(kept.events).toContainEqual(expect.objectContaining({ kind: 'call', isNative: true }));
  });
});
