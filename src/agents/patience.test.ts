import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentEvent, AgentFailure } from './agent.js';
import { claude } from './claude.js';
import type { CliEvent } from './launch.js';
import { openPatience, type Patience } from './patience.js';

const endpoint = { url: 'http://127.0.0.1:9/v1', keyEnv: 'MY_KEY' };
const retry = (more: Partial<Extract<CliEvent, { kind: 'retry' }>> = {}): CliEvent => ({
  kind: 'retry',
  reason: 'no answer, attempt 1 of 10',
  ...more,
});

let told: AgentEvent[] = [];
let opened: Patience | undefined;
beforeEach(() => {
  told = [];
  vi.useFakeTimers();
});
afterEach(() => {
  opened?.close();
  vi.useRealTimers();
});

function open(isNobody: boolean, hasEndpoint = true) {
  const asked = { env: {}, ...(hasEndpoint && { endpoint }) };
  const looks = vi.fn(() => Promise.resolve(isNobody));
  const patience = openPatience({ cli: claude, asked, onEvent: (event) => told.push(event), looks });
  let failure: AgentFailure | undefined;
  void patience.hopeless.then((given) => (failure = given));
  opened = patience;
  const pass = async (seconds: number): Promise<AgentFailure | undefined> => {
    await vi.advanceTimersByTimeAsync(seconds * 1000);
    return failure;
  };
  return { patience, pass, looks };
}

describe('patience with a silent model', () => {
  it('reports the wait at growing intervals', async () => {
    const { pass } = open(false);
    await pass(100);
    expect(told).toEqual([10, 20, 40, 80].map((s) => ({ kind: 'waiting', ms: s * 1000 })));
  });

  it('does not count the time while a tool runs', async () => {
    const { patience, pass } = open(false);
    patience.onEvent({ kind: 'call', id: '1', name: 'Bash', input: {} });
    await pass(35);
    expect(told.map(({ kind }) => kind)).toEqual(['call']);
    patience.onEvent({ kind: 'result', id: '1', name: 'Bash', isError: false, text: '', ms: 1 });
    await pass(15);
    expect(told.map(({ kind }) => kind)).toEqual(['call', 'result', 'waiting']);
    patience.take({ kind: 'use', id: '2', name: 'Task', input: {}, isNative: true });
    await pass(60);
    expect(told).toHaveLength(3);
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
    const { patience, pass, looks } = open(true);
    patience.take({ kind: 'text', text: 'hello' });
    expect(await pass(600)).toBeUndefined();
    expect(looks).not.toHaveBeenCalled();
  });

  it('gives up if the API key is rejected repeatedly, and says how to log in', async () => {
    const { patience, pass } = open(false, false);
    patience.take(retry({ status: 401 }));
    patience.take(retry({ status: 401 }));
    expect(await pass(1)).toBeUndefined();
    patience.take(retry({ status: 401 }));
    expect(await pass(1)).toMatchObject({
      code: 'EXECUTION.AGENT.UNAUTHORIZED',
      next: 'claude auth login',
    });
  });

  it('gives up on a model that is unreachable for a minute, but never on a busy one', async () => {
    const away = open(false, false);
    away.patience.take(retry());
    expect(await away.pass(55)).toBeUndefined();
    expect(await away.pass(10)).toMatchObject({ code: 'EXECUTION.AGENT.UNAVAILABLE' });
    const busy = open(false, false);
    busy.patience.take(retry());
    busy.patience.take(retry({ reason: 'status 529', status: 529 }));
    expect(await busy.pass(600)).toBeUndefined();
  });
});
