import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openScriptedModel, type ScriptedModel, type ScriptedTurn } from 'tidegate/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Collector, openCollector } from '../support/collector.js';
import { agentStep, done, type FlowPlace, type FlowResult, openFlowPlace } from '../support/flow.js';
import { spansOf } from '../support/run-spans.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

// The acceptance criteria of the proxy, for agents at an OpenAI-compatible endpoint, on the built program.

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

describe('AC-1: what an agent does with tools goes through the gate', () => {
  it('runs Read, Write, Bash and a tool of a server, each with a span, a log line, a record and a transcript', async () => {
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

  it('has no other tools: each one that it was not given is unknown and has no effect', async () => {
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
    // The control: given the tools, the same calls do what they say.
    await runWith([...forbidden.slice(0, 3), { say: 'done' }], { ...proxied, tidegate: { servers: ['up'] } });
    expect(existsSync(join(place.workspace, 'rogue.txt'))).toBe(true);
    expect(upstream.heardOf('tools/call').filter((text) => text.includes('"delete"'))).toHaveLength(1);
  });

  it('stays within a profile', async () => {
    await runWith([{ say: 'x' }], { ...proxied, tidegate: { profile: 'minimal' } });
    expect(model.requests[0]?.tools).toEqual(['Glob', 'Grep', 'Read']);
  });

  it('stays within the profile of the command that started the run, also when the run goes on', async () => {
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

  it('without a block has no tools at all', async () => {
    await runWith([{ say: 'x' }], {});
    expect(model.requests[0]?.tools).toEqual([]);
    expect(model.requests[0]?.body).not.toHaveProperty('tools');
  });
});

describe('AC-3: two tools of one name stop the step before its agent begins', () => {
  it('names both, and never asks the model', async () => {
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
    // The control: a step that is given neither of them runs.
    const other = await clashing.flow({
      states: { initial: 'a', a: agentStep(model.url, { tidegate: { tools: ['Read'] } }), done },
    });
    expect(other.status).toBe(0);
    clashing.close();
    await second.close();
  });
});

describe('AC-4: validate finds what is wrong with the block, in one pass', () => {
  it('names unknown keys, unknown plugins and a proxy that offers nothing, each in its place', async () => {
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

describe('AC-7: an agent that goes in circles is stopped', () => {
  it('when it says that it calls tools, and calls none', async () => {
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

describe('a model that fails', () => {
  it('with 429, a broken stream and a pause in turn is asked again, and nothing is done twice', async () => {
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

  it('by silence or garbage ends the step with its name', async () => {
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
