import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentEvent, AgentFailure } from './agent.js';
import { claude } from './claude.js';
import type { CliEvent } from './launch.js';
import { openModelWatchdog, type ModelWatchdog } from './model-watchdog.js';

const endpoint = { url: 'http://127.0.0.1:9/v1', keyEnv: 'MY_KEY' };
const retry = (more: Partial<Extract<CliEvent, { kind: 'retry' }>> = {}): CliEvent => ({
  kind: 'retry',
  reason: 'no answer, attempt 1 of 10',
  ...more,
});

let events: AgentEvent[] = [];
let opened: ModelWatchdog | undefined;
beforeEach(() => {
  events = [];
  vi.useFakeTimers();
});
afterEach(() => {
  opened?.close();
  vi.useRealTimers();
});

function open(isClosed: boolean, hasEndpoint = true) {
  const asked = { env: {}, ...(hasEndpoint && { endpoint }) };
  const check = vi.fn(() => Promise.resolve(isClosed));
  const watchdog = openModelWatchdog({ cli: claude, asked, onEvent: (event) => events.push(event), check });
  let failure: AgentFailure | undefined;
  void watchdog.givenUp.then((given) => (failure = given));
  opened = watchdog;
  const pass = async (seconds: number): Promise<AgentFailure | undefined> => {
    await vi.advanceTimersByTimeAsync(seconds * 1000);
    return failure;
  };
  return { watchdog, pass, check };
}

describe('the watchdog for a silent model', () => {
  it('reports the wait at growing intervals', async () => {
    const { pass } = open(false);
    await pass(100);
    expect(events).toEqual([10, 20, 40, 80].map((s) => ({ kind: 'waiting', ms: s * 1000 })));
  });

  it('does not count the time while a tool runs', async () => {
    const { watchdog, pass } = open(false);
    watchdog.onEvent({ kind: 'call', id: '1', name: 'Bash', input: {} });
    await pass(35);
    expect(events.map(({ kind }) => kind)).toEqual(['call']);
    watchdog.onEvent({ kind: 'result', id: '1', name: 'Bash', isError: false, text: '', ms: 1 });
    await pass(15);
    expect(events.map(({ kind }) => kind)).toEqual(['call', 'result', 'waiting']);
    watchdog.take({ kind: 'use', id: '2', name: 'Task', input: {}, isNative: true });
    await pass(60);
    expect(events).toHaveLength(3);
  });

  it('gives up if nothing listens at the address, and names it', async () => {
    const { pass } = open(true);
    expect(await pass(25)).toBeUndefined();
    expect(await pass(10)).toMatchObject({
      code: 'EXECUTION.AGENT.UNAVAILABLE',
      message: 'Claude Code cannot reach its model: nothing is listening at http://127.0.0.1:9/v1.',
      next: 'make sure a model responds at http://127.0.0.1:9/v1, or correct options.base_url',
    });
  });

  it('keeps waiting if something listens or the model has answered before', async () => {
    expect(await open(false).pass(600)).toBeUndefined();
    const { watchdog, pass, check } = open(true);
    watchdog.take({ kind: 'text', text: 'hello' });
    expect(await pass(600)).toBeUndefined();
    expect(check).not.toHaveBeenCalled();
  });

  it('gives up if the API key is rejected repeatedly, and says how to log in', async () => {
    const { watchdog, pass } = open(false, false);
    watchdog.take(retry({ status: 401 }));
    watchdog.take(retry({ status: 401 }));
    expect(await pass(1)).toBeUndefined();
    watchdog.take(retry({ status: 401 }));
    expect(await pass(1)).toMatchObject({
      code: 'EXECUTION.AGENT.UNAUTHORIZED',
      next: 'claude auth login',
    });
  });

  it('gives up on a model that is unreachable for a minute, but never on a busy one', async () => {
    const away = open(false, false);
    away.watchdog.take(retry());
    expect(await away.pass(55)).toBeUndefined();
    expect(await away.pass(10)).toMatchObject({ code: 'EXECUTION.AGENT.UNAVAILABLE' });
    const busy = open(false, false);
    busy.watchdog.take(retry());
    busy.watchdog.take(retry({ reason: 'status 529', status: 529 }));
    expect(await busy.pass(600)).toBeUndefined();
  });
});
