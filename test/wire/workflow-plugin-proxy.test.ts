import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openScriptedModel, type ScriptedModel, type ScriptedTurn } from 'tidegate/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Collector, openCollector } from '../support/collector.js';
import { agentStep, done, type FlowPlace, openFlowPlace } from '../support/flow.js';
import { spansOf } from '../support/run-spans.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

// The acceptance criteria about plugins: the example plugin in its own process, with the built program.

const example = fileURLToPath(new URL('../../examples/plugins/notes', import.meta.url));

function openNotesPlace(config: object, collector: Collector): FlowPlace {
  const place = openFlowPlace({ ...config, telemetry: { endpoint: collector.endpoint } });
  cpSync(example, join(place.workspace, '.tidegate', 'plugins', 'notes'), { recursive: true });
  return place;
}

function trustNotes(place: FlowPlace): void {
  const { status, stderr } = place.run('plugin', 'trust', 'notes', '--yes');
  if (status !== 0) throw new Error(stderr);
}

const call = (name: string, given: Readonly<Record<string, unknown>>): ScriptedTurn => ({
  calls: [{ name, arguments: given }],
});
const onlyAdd = {
  mcp_proxy: {
    enable: true,
    intercept_builtins: false,
    plugin_tools: [{ plugin: 'notes', expose: ['add'] }],
  },
};

let place: FlowPlace;
let collector: Collector;
let model: ScriptedModel;
beforeAll(async () => {
  collector = await openCollector();
  place = openNotesPlace({}, collector);
});
afterEach(() => model.close());
afterAll(async () => {
  place.close();
  await collector.close();
});

describe('AC-2: without the built-in tools, an agent has its granted plugin operations', () => {
  it('and none while the plugin is not trusted', async () => {
    model = await openScriptedModel([call('notes_add', { title: 'a', text: 'b' }), { say: 'x' }]);
    const { result, status } = await place.flow({
      states: { initial: 'a', a: agentStep(model.url, onlyAdd), done },
    });
    expect(status).not.toBe(0);
    expect(result.code).toBe('EXECUTION.PLUGIN.FAILED');
    expect(model.requests).toEqual([]);
    trustNotes(place);
  });

  it('calls the operation in the plugin process, with a span, a log line and a record', async () => {
    model = await openScriptedModel([
      call('notes_add', { title: 'tide', text: 'High water is at noon.' }),
      call('notes_find', { word: 'tide' }),
      call('Read', { file_path: 'tidegate.yaml' }),
      { say: 'kept' },
    ]);
    const { result, status } = await place.flow({
      states: {
        initial: 'a',
        a: agentStep(model.url, { ...onlyAdd, on_success: 'find' }),
        // The workflow itself calls the same plugin process.
        find: { type: 'operation', operation: 'notes.find', inputs: { word: 'noon' }, on_success: 'keep' },
        keep: { type: 'notes.remember', config: { title: 'last' }, on_success: 'done' },
        done,
      },
      outputs: { found: 'states.find.Response.titles' },
    });
    expect([status, result.outputs]).toEqual([0, { found: ['tide'] }]);
    expect(model.requests[0]?.tools).toEqual(['notes_add']);
    const [added, ...others] = model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(JSON.parse(added?.text ?? '')).toMatchObject({ output: 'Kept "tide".' });
    // Operations without a grant are unknown, even if it guesses the name.
    for (const { text } of others) expect(text).toContain('tool.not_found');

    const { run, step, calls } = spansOf(collector, result);
    expect(step.parentSpanId).toBe(run.spanId);
    const add = calls.find(({ name }) => name === 'tool.call.notes_add');
    expect(add).toMatchObject({ parentSpanId: step.spanId, isError: false });
    expect(add?.attributes['tool.source']).toBe('plugin:notes');
    const find = spansOf(collector, result, 'find');
    expect(find.step.parentSpanId).toBe(run.spanId);
    expect(calls.filter(({ name, isError }) => name === 'tool.call.notes_find' && !isError)).toMatchObject([
      { parentSpanId: find.step.spanId },
    ]);
    const line = place.logLines(result).find(({ msg, name }) => msg === 'tool.call' && name === 'notes_add');
    expect(line).toMatchObject({ principal: `local/agent:${result.run}/a`, outcome: 'content' });
    expect(
      place
        .transcript(result)
        .find(({ type, payload }) => type === 'tool.call' && payload['name'] === 'notes_add'),
    ).toMatchObject({ path: 'a', payload: { fidelity: 'gate' } });
  });

  it('and with the built-in tools, if they are not excluded', async () => {
    model = await openScriptedModel([{ say: 'x' }]);
    const both = { mcp_proxy: { ...onlyAdd.mcp_proxy, intercept_builtins: true } };
    await place.flow({ states: { initial: 'a', a: agentStep(model.url, both), done } });
    expect(model.requests[0]?.tools).toEqual(['Bash', 'Edit', 'Glob', 'Grep', 'Read', 'Write', 'notes_add']);
  });
});

describe('AC-3: a plugin tool and a server tool with the same name', () => {
  it('stop the step before its agent starts', async () => {
    const upstream: ScriptedUpstream = await openScripted('stdio', 'legacy', {
      lists: { 'tools/list': ['{"name":"add","inputSchema":{"type":"object"}}'] },
      answers: { 'tools/call': {} },
    });
    const clashing = openNotesPlace(
      { servers: { other: { ...upstream.entry, prefix: 'notes_' } } },
      collector,
    );
    trustNotes(clashing);
    model = await openScriptedModel([{ say: 'x' }]);
    const { result, status } = await clashing.flow({
      states: { initial: 'a', a: agentStep(model.url, onlyAdd), done },
    });
    expect([status, result.code]).toEqual([1, 'USER.MCP_PROXY.NAME_COLLISION']);
    expect(model.requests).toEqual([]);
    const { run, step, calls } = spansOf(collector, result);
    expect([step.parentSpanId, step.isError, calls]).toEqual([run.spanId, true, []]);
    clashing.close();
    await upstream.close();
  });
});

describe('AC-4: validate asks a trusted plugin for its operations', () => {
  it('reports an unknown operation with its position, and the findings of the plugin', async () => {
    model = await openScriptedModel([]);
    const file = place.file(
      'operations.yaml',
      [
        'name: operations',
        'states:',
        '  initial: a',
        '  a: {type: agent, provider: openai, prompt: x, mcp_proxy: {enable: true, plugin_tools: [{plugin: notes, expose: [ad]}]}, on_success: b}',
        '  b: {type: operation, operation: notes.gone, on_success: done}',
        '  done: {type: terminal}',
      ].join('\n'),
    );
    const { stdout, status } = await place.run1(['validate', file]);
    expect(status).toBe(2);
    expect(stdout).toMatch(/:4:\d+: error USER\.MCP_PROXY\.UNKNOWN_OPERATION: .*"?ad"?/);
    expect(stdout).toMatch(/:5:\d+: error USER\.MCP_PROXY\.UNKNOWN_OPERATION/);
    expect(stdout).toContain('WORKFLOW.VALIDATION.PLUGIN_RULE: ');
    const skipped = await place.run1(['validate', file, '--skip-plugins']);
    expect(skipped.stdout).not.toContain('UNKNOWN_OPERATION');
    expect(skipped.stdout).toContain('CHECK_SKIPPED');
  });
});
