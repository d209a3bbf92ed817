import { afterEach, describe, expect, it } from 'vitest';
import { createOpenAccess, openHall } from '../../../test/support/gateway.js';
import { content, type Session } from '../../core/index.js';
import { JsonText } from '../../lib/json-text.js';
import {
  createFakeProvider,
  type FakeHandler,
  type FakeProvider,
  type ModelScript,
  openScriptedModel,
  type ScriptedModel,
} from '../../testing/index.js';
import type { AgentAnswer, AgentEvent } from '../agent.js';
import { runOpenai } from './run-openai.js';

const session: Session = { id: 's', principal: { kind: 'agent', id: 'a', zone: 'z' }, scope: 'connection' };

let model: ScriptedModel;
afterEach(() => model.close());

function says(text: string): ReturnType<typeof content> {
  return content(JsonText.from({ content: [{ type: 'text', text }] }));
}

interface Ran {
  readonly answer: AgentAnswer;
  readonly events: readonly AgentEvent[];
  readonly provider: FakeProvider;
}

async function run(
  script: ModelScript,
  tools: Readonly<Record<string, FakeHandler>> = { look: () => says('seen') },
  more: {
    readonly options?: object;
    readonly signal?: AbortSignal;
    readonly conversation?: readonly unknown[];
    readonly onProvider?: (provider: FakeProvider) => void;
  } = {},
): Promise<Ran> {
  const own = await openScriptedModel(script);
  model = own;
  const provider = createFakeProvider('p', tools);
  more.onProvider?.(provider);
  const gateway = openHall({ providers: [provider], access: createOpenAccess() });
  const events: AgentEvent[] = [];
  let count = 0;
  try {
    const answer = await runOpenai({
      gateway,
      session,
      prompt: 'go',
      system: 'be brief',
      options: { base_url: own.url, model: 'm', api_key: 'sk-test-key', ...more.options },
      ...(more.conversation && { conversation: more.conversation }),
      env: {},
      signal: more.signal ?? new AbortController().signal,
      newRequestId: () => `r${String((count += 1))}`,
      version: '0',
      onEvent: (event) => void events.push(event),
    });
    return { answer, events, provider };
  } finally {
    await gateway.close();
  }
}

const lookTwice = { calls: [{ name: 'look', arguments: { at: 'größe ⚓ 🌊' } }] };

describe('an agent at a Chat Completions endpoint', () => {
  it('calls tools until it has an answer, and returns each result under its id', async () => {
    const { answer, provider } = await run(
      [lookTwice, { say: 'all is well', usage: { input: 30, output: 7 } }],
      undefined,
      {
        options: { price: { input: 1, output: 2 } },
      },
    );
    expect(answer).toMatchObject({ text: 'all is well', turns: 2, toolCalls: 1 });
    expect(answer.usage).toEqual({ input: 40, output: 12, isEstimated: false, cost: (40 + 24) / 1e6 });
    expect(provider.calls.map(({ input }) => input)).toEqual([
      { name: 'look', arguments: { at: 'größe ⚓ 🌊' } },
    ]);
    const [first, second] = model.requests;
    expect(first).toMatchObject({
      tools: ['look'],
      messages: [
        { role: 'system', text: 'be brief' },
        { role: 'user', text: 'go' },
      ],
    });
    expect(first?.body).toMatchObject({ tool_choice: 'auto', stream: true });
    expect(first?.headers['authorization']).toBe('Bearer sk-test-key');
    expect((second?.body as { messages: unknown[] }).messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"größe ⚓ 🌊"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'seen' },
    ]);
  });

  it('assembles a stream from chunks of any size, even split within a character', async () => {
    for (const chunkBytes of [1, 2, 3, 5, 7, 11, 64, 1000]) {
      const { answer, provider } = await run([
        { ...lookTwice, chunkBytes },
        { say: 'größe ⚓ 🌊 done', chunkBytes },
      ]);
      expect(answer.text).toBe('größe ⚓ 🌊 done');
      expect(provider.calls.map(({ input }) => input)).toEqual([
        { name: 'look', arguments: { at: 'größe ⚓ 🌊' } },
      ]);
      await model.close();
    }
  });

  it('separates calls with interleaved pieces and gaps in their indexes', async () => {
    const calls = [1, 2, 3].map((n) => ({ name: 'look', arguments: { n, text: 'x'.repeat(20) } }));
    const { provider, answer } = await run([
      { calls, isInterleaved: true, indexes: [0, 3, 9], pieces: 5 },
      { say: 'ok' },
    ]);
    expect(answer.text).toBe('ok');
    expect(provider.calls.map(({ input }) => (input as { arguments: { n: number } }).arguments.n)).toEqual([
      1, 2, 3,
    ]);
  });

  it('makes the calls of one turn in parallel', async () => {
    let running = 0;
    let most = 0;
    const slow: FakeHandler = async () => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, 30));
      running -= 1;
      return says('ok');
    };
    await run([{ calls: [1, 2, 3].map((n) => ({ name: 'look', arguments: { n } })) }, { say: 'x' }], {
      look: slow,
    });
    expect(most).toBe(3);
  });

  it('shows the current tools in each turn', async () => {
    const providers: FakeProvider[] = [];
    const first: FakeHandler = () => {
      providers[0]?.offer({ second: () => says('two') });
      return says('one');
    };
    await run(
      [{ calls: [{ name: 'first' }] }, { say: 'x' }],
      { first },
      { onProvider: (provider) => void providers.push(provider) },
    );
    expect(model.requests.map(({ tools }) => tools)).toEqual([['first'], ['second']]);
  });

  it('passes an unknown tool name on to the gateway, which rejects it', async () => {
    const { events } = await run([{ calls: [{ name: 'Bash', arguments: { command: 'id' } }] }, { say: 'x' }]);
    expect(events).toContainEqual(expect.objectContaining({ kind: 'result', name: 'Bash', isError: true }));
    expect(model.requests[1]?.messages.at(-1)?.text).toContain('tool.not_found');
  });

  it('never calls a tool with invalid arguments', async () => {
    const { provider } = await run([
      {
        calls: [
          { name: 'look', arguments: '{"at": ' },
          { name: 'look', arguments: '[]' },
          { name: 'look', arguments: '' },
        ],
      },
      { say: 'x' },
    ]);
    expect(provider.calls.map(({ input }) => input)).toEqual([{ name: 'look', arguments: {} }]);
    expect(model.requests[1]?.messages.filter(({ role }) => role === 'tool')).toHaveLength(3);
    expect(model.requests[1]?.messages.find(({ role }) => role === 'tool')?.text).toContain(
      'not a JSON object',
    );
  });

  it('supports servers that do not stream or report no usage', async () => {
    const { answer } = await run([
      { ...lookTwice, isWhole: true },
      { say: 'whole', isWhole: true, usage: 'none' },
    ]);
    expect(answer.text).toBe('whole');
    expect(answer.usage.isEstimated).toBe(true);
  });

  it('retries after 429, with the requested delay, and after 500', async () => {
    const { answer, events } = await run([
      { fails: { status: 429, headers: { 'retry-after': '0.05' } } },
      { fails: { status: 503, headers: { 'retry-after': new Date(0).toUTCString() } } },
      { say: 'at last' },
    ]);
    expect(answer.text).toBe('at last');
    const retries = events.filter(({ kind }) => kind === 'retry');
    expect(retries).toMatchObject([{ waitMs: 50 }, { waitMs: 0 }]);
  });

  it.each([
    ['a rejected key', { status: 401, message: 'bad key sk-test-key' }, 'EXECUTION.AGENT.UNAUTHORIZED'],
    [
      'a conversation that is too long',
      { status: 400, code: 'context_length_exceeded' },
      'EXECUTION.AGENT.CONTEXT_LIMIT',
    ],
    ['any other refusal', { status: 404, message: 'no such model' }, 'EXECUTION.AGENT.FAILED'],
    ['garbage', { status: 200, body: '<html>' }, 'EXECUTION.AGENT.BAD_RESPONSE'],
    ['a server that stays unavailable', { status: 500 }, 'EXECUTION.AGENT.UNAVAILABLE'],
  ])('reports %s without the API key', async (_, fails, code) => {
    const failing = run(() => ({ fails: { headers: { 'retry-after': '0' }, ...fails } }), undefined, {
      options: { max_retries: 1 },
    });
    await expect(failing).rejects.toMatchObject({ code });
    await failing.catch((error: unknown) => expect(String(error)).not.toContain('sk-test-key'));
  });

  it('suggests a fix for a rejected API key and for an unreachable model', async () => {
    const refused = run(() => ({ fails: { status: 401 } }), undefined, {
      options: { api_key_env: 'MY_KEY' },
    });
    await expect(refused).rejects.toMatchObject({ next: 'set MY_KEY to a valid API key' });
    const away = run(() => ({ fails: { status: 500 } }), undefined, { options: { max_retries: 0 } });
    await expect(away).rejects.toMatchObject({
      next: expect.stringMatching(/^make sure a model responds at http:\S+\/v1, or correct/) as string,
    });
  });

  it('gives up on a silent model', async () => {
    const silent = run([{ fails: { hangs: true } }], undefined, {
      options: { idle_timeout: 50, max_retries: 0 },
    });
    await expect(silent).rejects.toMatchObject({ code: 'EXECUTION.AGENT.UNAVAILABLE' });
  });

  it('can be stopped at any time', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const started = performance.now();
    const stopped = run([{ fails: { hangs: true } }], undefined, { signal: controller.signal });
    await expect(stopped).rejects.toMatchObject({ code: 'EXECUTION.WORKFLOW.CANCELLED' });
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('fails if the model announces tool calls but makes none', async () => {
    await expect(run([{ finish: 'tool_calls' }])).rejects.toMatchObject({
      code: 'USER.MCP_PROXY.INFINITE_LOOP_GUARD',
    });
  });

  it('fails at the 26th turn with calls, or at the configured limit', async () => {
    let n = 0;
    const endless: ModelScript = () => ({ calls: [{ name: 'look', arguments: { n: (n += 1) } }] });
    await expect(run(endless)).rejects.toMatchObject({ code: 'USER.MCP_PROXY.INFINITE_LOOP_GUARD' });
    expect(model.requests).toHaveLength(26);
    await model.close();
    await expect(run(endless, undefined, { options: { max_turns: 2 } })).rejects.toThrow(/more than 2 turns/);
  });

  it('fails if the same call returns the same answer repeatedly, but not if the answer changes', async () => {
    const same: ModelScript = () => lookTwice;
    const repeating = run(same);
    await expect(repeating).rejects.toThrow(/repeated the same call/);
    await model.close();
    let n = 0;
    const changing = { look: () => says(String((n += 1))) };
    await expect(run(same, changing)).rejects.toThrow(/more than 25 turns/);
  });

  it('continues a given conversation', async () => {
    const { answer } = await run([{ say: 'two' }], undefined, {
      conversation: [
        { role: 'user', content: 'one?' },
        { role: 'assistant', content: 'one' },
      ],
    });
    expect(model.requests[0]?.messages.map(({ text }) => text)).toEqual(['one?', 'one', 'go']);
    expect(answer.conversation).toHaveLength(4);
  });

  it('survives a stream cut at any byte: the call is made once, with all its arguments', async () => {
    const whole = { calls: [{ name: 'look', arguments: { at: 'größe' } }], pieces: 2 };
    model = await openScriptedModel([whole]);
    const response = await fetch(`${model.url}/chat/completions`, {
      method: 'POST',
      body: '{"model":"m","stream":true}',
    });
    const { length } = Buffer.from(await response.arrayBuffer());
    await model.close();
    const cuts = Array.from({ length }, (_, cutAfter) => cutAfter);
    const opened: ScriptedModel[] = [];
    const tryCut = async (cutAfter: number): Promise<void> => {
      let asked = 0;
      const script: ModelScript = ({ messages }) => {
        asked += 1;
        if (messages.at(-1)?.role === 'tool') return { say: 'done' };
        return asked === 1 ? { ...whole, cutAfter } : whole;
      };
      const { answer, provider } = await run(script, undefined, {
        options: { max_retries: 1 },
        onProvider: () => void opened.push(model),
      });
      expect([cutAfter, answer.text]).toEqual([cutAfter, 'done']);
      expect(provider.calls.map(({ input }) => input)).toEqual([
        { name: 'look', arguments: { at: 'größe' } },
      ]);
    };
    const lane = async (): Promise<void> => {
      for (let cutAfter = cuts.pop(); cutAfter !== undefined; cutAfter = cuts.pop()) await tryCut(cutAfter);
    };
    await Promise.all(Array.from({ length: 50 }, lane));
    await Promise.all(opened.map((one) => one.close()));
    expect(length).toBeGreaterThan(500);
    model = await openScriptedModel([]);
  }, 120_000);
});
