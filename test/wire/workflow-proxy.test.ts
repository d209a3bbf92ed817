import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openScriptedModel, type ScriptedModel, type ScriptedTurn } from 'tidegate/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Collector, openCollector } from '../support/collector.js';
import { agentStep, done, type FlowPlace, type FlowResult, openFlowPlace } from '../support/flow.js';
import { spansOf } from '../support/run-spans.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

// The acceptance criteria of the proxy, for agents at an OpenAI-compatible endpoint, with the built program.

const answer = { result: '{"content":[{"type":"text","text":"from upstream"}]}' };
const tool = (name: string): string => `{"name":"${name}","inputSchema":{"type":"object"}}`;
const script = {
  lists: { 'tools/list': [tool('fetch'), tool('delete')] },
  answers: { 'tools/call': { fetch: answer, delete: answer } },
};

let place: FlowPlace;
let upstream: ScriptedUpstream;
let collector: Collector;
let model: ScriptedModel;

beforeAll(async () => {
  upstream = await openScripted('stdio', 'legacy', script);
  collector = await openCollector();
  place = openFlowPlace({ servers: { up: upstream.entry }, telemetry: { endpoint: collector.endpoint } });
});
afterEach(() => model.close());
afterAll(async () => {
  place.close();
  await upstream.close();
  await collector.close();
});

const call = (name: string, given: object): ScriptedTurn => ({
  calls: [{ name, arguments: given as Record<string, unknown> }],
});

async function runWith(
  turns: readonly ScriptedTurn[],
  step: object,
): Promise<{ readonly status: number | null; readonly result: FlowResult }> {
  model = await openScriptedModel(turns);
  return place.flow({ states: { initial: 'a', a: agentStep(model.url, step), done } });
}

const proxied = { mcp_proxy: { enable: true } };

describe('AC-1: all tool calls of an agent go through the gateway', () => {
  it('runs Read, Write, Bash and a server tool, each with a span, a log line, a record and a transcript', async () => {
    place.file('in.txt', 'the tide is high\n');
    const { result, status } = await runWith(
      [
        call('Read', { file_path: 'in.txt' }),
        {
          calls: [
            { name: 'Write', arguments: { file_path: 'out.txt', content: 'written' } },
            { name: 'Bash', arguments: { command: 'echo from bash' } },
          ],
        },
        call('up_fetch', { page: 1 }),
        { say: 'done' },
      ],
      { ...proxied, tidegate: { servers: ['up'] } },
    );
    expect(status).toBe(0);
    expect(readFileSync(join(place.workspace, 'out.txt'), 'utf8')).toBe('written');
    const told =
      model.requests
        .at(-1)
        ?.messages.filter(({ role }) => role === 'tool')
        .map(({ text }) => text) ?? [];
    expect(told[0]).toContain('the tide is high');
    expect(told[2]).toContain('from bash');
    expect(told[3]).toBe('from upstream');

    const { run, step, calls } = spansOf(collector, result);
    expect(run.parentSpanId ?? '').toBe('');
    expect(step.parentSpanId).toBe(run.spanId);
    expect(calls.map(({ name }) => name).sort()).toEqual([
      'tool.call.Bash',
      'tool.call.Read',
      'tool.call.Write',
      'tool.call.up_fetch',
    ]);
    for (const span of calls) {
      expect(span.parentSpanId).toBe(step.spanId);
      expect(span.attributes).toMatchObject({
        'tool.name': span.name.slice('tool.call.'.length),
        'tool.duration_ms': expect.any(Number),
      });
      expect(span.attributes['tool.source']).toBe(span.name.includes('up_') ? 'server:up' : 'builtin');
    }

    const principal = `local/agent:${result.run}/a`;
    const lines = place.logLines(result).filter(({ msg }) => msg === 'tool.call');
    expect(lines.map(({ name }) => name).sort()).toEqual(['Bash', 'Read', 'Write', 'up_fetch']);
    for (const line of lines) expect(line).toMatchObject({ principal, outcome: 'content' });

    const audit = await place.run1(['audit', '--json']);
    const records = (JSON.parse(audit.stdout) as { records: { principal: string; action: string }[] })
      .records;
    expect(JSON.stringify(records)).toContain(`agent:${result.run}/a`);

    const lines2 = place.transcript(result);
    expect(lines2.map(({ seq }) => seq)).toEqual(lines2.map((_, at) => at + 1));
    const calledAt = lines2.filter(({ type }) => type === 'tool.call').map(({ payload }) => payload['name']);
    expect(calledAt).toEqual(['Read', 'Write', 'Bash', 'up_fetch']);
    for (const { payload } of lines2.filter(({ type }) => type.startsWith('tool.')))
      expect(payload['fidelity']).toBe('gate');
  });

  it('has no other tools: calls to any other tool are unknown and have no effect', async () => {
    const forbidden: readonly ScriptedTurn[] = [
      call('Write', { file_path: 'rogue.txt', content: 'x' }),
      call('Bash', { command: 'touch rogue.txt' }),
      call('up_delete', {}),
      call('shell', { command: 'touch rogue.txt' }),
      { say: 'gave up' },
    ];
    const { status } = await runWith(forbidden, { tidegate: { tools: ['Read', 'up_fetch'] } });
    expect(status).toBe(0);
    expect(model.requests.map(({ tools }) => tools)).toEqual(forbidden.map(() => ['Read', 'up_fetch']));
    const told =
      model.requests
        .at(-1)
        ?.messages.filter(({ role }) => role === 'tool')
        .map(({ text }) => text) ?? [];
    expect(told).toHaveLength(4);
    for (const text of told) expect(text).toContain('tool.not_found');
    expect(existsSync(join(place.workspace, 'rogue.txt'))).toBe(false);
    expect(upstream.heardOf('tools/call').filter((text) => text.includes('"delete"'))).toEqual([]);
    await model.close();
    // The control: with the tools granted, the same calls work.
    await runWith([...forbidden.slice(0, 3), { say: 'done' }], { ...proxied, tidegate: { servers: ['up'] } });
    expect(existsSync(join(place.workspace, 'rogue.txt'))).toBe(true);
    expect(upstream.heardOf('tools/call').filter((text) => text.includes('"delete"'))).toHaveLength(1);
  });

  it('is limited by a profile', async () => {
    await runWith([{ say: 'x' }], { ...proxied, tidegate: { profile: 'minimal' } });
    expect(model.requests[0]?.tools).toEqual(['Glob', 'Grep', 'Read']);
  });

  it('is limited by the profile of the command that started the run, even after a resume', async () => {
    model = await openScriptedModel([{ say: 'x' }, { say: 'x' }]);
    const wait = { type: 'command', command: 'test -e go.txt', on_success: 'a' };
    const flow = { states: { initial: 'wait', wait, a: agentStep(model.url, proxied), done } };
    const { result } = await place.flow(flow, ['--profile', 'minimal']);
    expect(result.status).toBe('failed');
    place.file('go.txt', '');
    expect(await place.run1(['run', '--resume', result.run])).toMatchObject({ status: 0 });
    expect(model.requests[0]?.tools).toEqual(['Glob', 'Grep', 'Read']);
    // The control: without the option it has more.
    expect((await place.flow(flow)).status).toBe(0);
    expect(model.requests[1]?.tools).toContain('Bash');
  });

  it('has no tools at all without a block', async () => {
    await runWith([{ say: 'x' }], {});
    expect(model.requests[0]?.tools).toEqual([]);
    expect(model.requests[0]?.body).not.toHaveProperty('tools');
  });
});

describe('AC-3: two tools with the same name stop the step before its agent starts', () => {
  it('names both, and never calls the model', async () => {
    const second = await openScripted('stdio', 'legacy', script);
    const clashing = openFlowPlace({
      servers: { one: { ...upstream.entry, prefix: 'x_' }, two: { ...second.entry, prefix: 'x_' } },
      telemetry: { endpoint: collector.endpoint },
    });
    model = await openScriptedModel([{ say: 'x' }]);
    const ran = await clashing.flow({
      states: { initial: 'a', a: agentStep(model.url, { tidegate: { tools: ['x_*'] } }), done },
    });
    expect(ran.result.code).toBe('USER.MCP_PROXY.NAME_COLLISION');
    expect(ran.status).toBe(1);
    expect(model.requests).toEqual([]);
    const { run, step, calls } = spansOf(collector, ran.result);
    expect([step.parentSpanId, step.isError, run.isError, calls]).toEqual([run.spanId, true, true, []]);
    // The control: a step with neither of them runs.
    const other = await clashing.flow({
      states: { initial: 'a', a: agentStep(model.url, { tidegate: { tools: ['Read'] } }), done },
    });
    expect(other.status).toBe(0);
    clashing.close();
    await second.close();
  });
});

describe('AC-4: validate finds all errors in the block at once', () => {
  it('reports unknown keys, unknown plugins and an empty proxy, each with its position', async () => {
    const file = place.file(
      'wrong.yaml',
      [
        'name: wrong',
        'states:',
        '  initial: a',
        '  a: {type: agent, provider: openai, prompt: x, mcp_proxy: {enable: true, intercept_builtin: false}, on_success: b}',
        '  b: {type: agent, provider: openai, prompt: x, mcp_proxy: {enable: true, intercept_builtins: false}, on_success: c}',
        '  c: {type: agent, provider: openai, prompt: x, mcp_proxy: {enable: true, plugin_tools: [{plugin: none, expose: [x, x]}]}, on_success: done}',
        '  done: {type: terminal}',
      ].join('\n'),
    );
    const before = collector.spans().length;
    const { stdout, status } = await place.run1(['validate', file]);
    expect(status).toBe(2);
    // Nothing of it runs.
    expect(collector.spans()).toHaveLength(before);
    for (const line of [
      ':4:75: error USER.MCP_PROXY.UNKNOWN_KEY',
      ':5:49: error USER.MCP_PROXY.EMPTY_PROXY',
      'error USER.MCP_PROXY.UNKNOWN_PLUGIN',
      'error USER.MCP_PROXY.NAME_COLLISION',
    ]) {
      expect(stdout).toContain(line);
    }
    model = await openScriptedModel([]);
  });
});

describe('AC-7: an agent in a loop is stopped', () => {
  it('when it announces tool calls but makes none', async () => {
    const { result, status } = await runWith([{ finish: 'tool_calls' }, { say: 'never asked' }], proxied);
    expect(result.code).toBe('USER.MCP_PROXY.INFINITE_LOOP_GUARD');
    expect(status).toBe(1);
    expect(model.requests).toHaveLength(1);
    const { run, step, calls } = spansOf(collector, result);
    expect([step.parentSpanId, step.isError, calls]).toEqual([run.spanId, true, []]);
  });

  it('at the 26th turn with calls', async () => {
    const turns = Array.from({ length: 30 }, (_, at) => call('Glob', { pattern: `*.${String(at)}` }));
    const { result } = await runWith(turns, proxied);
    expect(result.code).toBe('USER.MCP_PROXY.INFINITE_LOOP_GUARD');
    expect(model.requests).toHaveLength(26);
    const { step, calls } = spansOf(collector, result);
    expect(calls).toHaveLength(25);
    for (const span of calls) expect(span.parentSpanId).toBe(step.spanId);
  });
});

describe('a failing model', () => {
  it('with 429, a broken stream and a pause is retried, and nothing runs twice', async () => {
    const append = call('Bash', { command: 'echo once >> once.txt' });
    const { status } = await runWith(
      [
        { fails: { status: 429, headers: { 'retry-after': '0' } } },
        { ...append, cutAfter: 300 },
        append,
        { fails: { status: 503, headers: { 'retry-after': '0' } } },
        { say: 'ok' },
      ],
      proxied,
    );
    expect(status).toBe(0);
    expect(readFileSync(join(place.workspace, 'once.txt'), 'utf8')).toBe('once\n');
  });

  it('that is silent or sends garbage fails the step with the matching code', async () => {
    model = await openScriptedModel(() => ({ fails: { hangs: true } }));
    const options = { base_url: model.url, model: 'm', idle_timeout: '100ms', max_retries: 0 };
    const silent = await place.flow({ states: { initial: 'a', a: agentStep(model.url, { options }), done } });
    expect(silent.result.code).toBe('EXECUTION.AGENT.UNAVAILABLE');
    await model.close();
    model = await openScriptedModel([{ fails: { status: 200, body: '<html>no model here</html>' } }]);
    const garbled = { ...options, base_url: model.url };
    const garbage = await place.flow({
      states: { initial: 'a', a: agentStep(model.url, { options: garbled }), done },
    });
    expect(garbage.result.code).toBe('EXECUTION.AGENT.BAD_RESPONSE');
  });
});
