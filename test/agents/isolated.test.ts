import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ScriptedTurn } from 'tidegate/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clis } from '../../src/agents/index.js';
import { type Collector, openCollector, type Span } from '../support/collector.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';
import { type Gated, gatedAgents, gatedClis } from './support/gated.js';
import { type GatedPlace, type GatedRun, openGatedPlace } from './support/gated-place.js';

// The real agents, started by `tidegate run`: what they see, what they can do, and what is recorded.

const notes = fileURLToPath(new URL('../../examples/plugins/notes', import.meta.url));
const upstreamTool = { name: 'fetch', description: 'Fetches.', inputSchema: { type: 'object' } };
const answer = { result: '{"content":[{"type":"text","text":"from upstream"}]}' };

let upstream: ScriptedUpstream;
let collector: Collector;
const places: GatedPlace[] = [];

beforeAll(async () => {
  upstream = await openScripted('stdio', 'legacy', {
    lists: { 'tools/list': [JSON.stringify(upstreamTool)] },
    answers: { 'tools/call': { fetch: answer } },
  });
  collector = await openCollector();
});
afterAll(async () => {
  for (const place of places) place.close();
  await upstream.close();
  await collector.close();
});

function openPlaceFor(): GatedPlace {
  const place = openGatedPlace({
    servers: { up: upstream.entry },
    telemetry: { endpoint: collector.endpoint },
  });
  places.push(place);
  cpSync(notes, join(place.workspace, '.tidegate', 'plugins', 'notes'), { recursive: true });
  const { status, stderr } = place.run('plugin', 'trust', 'notes', '--yes');
  if (status !== 0) throw new Error(stderr);
  place.file('in.txt', 'the tide is high\n');
  return place;
}

const ours = {
  Read: { file_path: 'in.txt' },
  Bash: { command: 'echo from bash' },
  notes_add: { title: 'a', text: 'b' },
  up_fetch: { page: 1 },
};
const said: Readonly<Record<keyof typeof ours, string>> = {
  Read: 'the tide is high',
  Bash: 'from bash',
  notes_add: 'count',
  up_fetch: 'from upstream',
};
const honest: readonly ScriptedTurn[] = Object.entries(ours).map(([name, given]) => ({
  calls: [{ name: new RegExp(`(?:^|[_/])${name}$`), arguments: given }],
}));

/** Every native tool that would leave a file behind; the isolation test calls the others. */
function rogueTurns({ agent, touch }: Gated): readonly ScriptedTurn[] {
  const natives = clis.find(({ name }) => name === agent)?.natives ?? [];
  const effects = natives.filter(({ input }) => JSON.stringify(input('MARK')).includes('MARK'));
  return [
    { calls: [touch('rogue-touch.txt')] },
    ...effects.map(({ name, namespace, isText, input }, at): ScriptedTurn => {
      const given = input(`rogue-${String(at)}.txt`);
      const sent = isText === true ? String(given) : (given as Record<string, unknown>);
      const full = namespace === undefined ? name : `${namespace}/${name}`;
      return { calls: [{ name: full, arguments: sent, ...(isText === true && { kind: 'custom' }) }] };
    }),
  ];
}

function spansOf({ result }: GatedRun): { readonly step: Span; readonly calls: readonly Span[] } {
  const all = collector.spans();
  const run = all.find(
    ({ name, attributes }) => name === 'workflow.run' && attributes['run.id'] === result.run,
  );
  const step = all.find(({ name, traceId }) => name === 'workflow.step.a' && traceId === run?.traceId);
  if (run === undefined || step === undefined)
    throw new Error(`no spans for the run: ${JSON.stringify(result)}`);
  const calls = all.filter(({ name, traceId }) => name.startsWith('tool.call.') && traceId === run.traceId);
  return { step, calls };
}

function expectRecords(place: GatedPlace, run: GatedRun, names: readonly string[]): void {
  const { step, calls } = spansOf(run);
  expect(calls.map(({ name }) => name.slice('tool.call.'.length)).sort()).toEqual([...names].sort());
  for (const span of calls) expect(span.parentSpanId).toBe(step.spanId);
  const lines = place.logLines(run.result).filter(({ msg }) => msg === 'tool.call');
  expect(lines.map(({ name }) => name).sort()).toEqual([...names].sort());
  const principal = `local/agent:${run.result.run}/a`;
  for (const line of lines) expect(line).toMatchObject({ principal, outcome: 'content' });
  const told = place.transcript(run.result);
  for (const type of ['tool.call', 'tool.result']) {
    const seen = told.filter((line) => line.type === type && line.payload['fidelity'] === 'gate');
    expect(seen.map(({ payload }) => payload['name'])).toEqual(names);
  }
}

const proxy = { enable: true, plugin_tools: [{ plugin: 'notes', expose: ['add'] }] };

describe.each(gatedAgents)('$title, isolated', (gated) => {
  it('AC-1: sees only our tools, can do nothing else, and everything it does is recorded', async () => {
    const place = openPlaceFor();
    const rogue = rogueTurns(gated);
    const before = ['.tidegate', 'in.txt'];
    const run = await place.runAgent(gated, [...rogue, ...honest, { say: 'all done' }], {
      step: { mcp_proxy: proxy, tidegate: { servers: ['up'] } },
    });
    expect(run.result).toMatchObject({ status: 'completed', steps: [{ output: 'all done' }] });
    expect(gated.leftovers).toEqual(expect.arrayContaining([...run.others]));
    // Every rogue call returned, and none had an effect.
    expect(run.results).toHaveLength(rogue.length + honest.length);
    expect(run.files).toEqual(before);
    const told = run.results.slice(rogue.length);
    for (const [at, text] of Object.values(said).entries()) expect(told[at]).toContain(text);
    expectRecords(place, run, Object.keys(ours));
    expect(place.transcript(run.result).map(({ type }) => type)).not.toContain('tool.call.bypassed');
  });
});

describe.each(gatedClis)('$title, additive', (gated) => {
  it('AC-2: keeps its own tools, has ours too, and only ours have spans (the control for the test above)', async () => {
    const place = openPlaceFor();
    const run = await place.runAgent(
      gated,
      [
        { calls: [gated.touch('rogue-touch.txt')] },
        { calls: [{ name: /(?:^|[_/])notes_add$/, arguments: ours.notes_add }] },
        { say: 'all done' },
      ],
      {
        options: { native_permissions: 'full' },
        step: { mcp_proxy: { ...proxy, intercept_builtins: false } },
      },
    );
    expect(run.result).toMatchObject({ status: 'completed', steps: [{ output: 'all done' }] });
    // The same call that had no effect above.
    expect(run.files).toContain('rogue-touch.txt');
    expect(run.others.length).toBeGreaterThan(3);
    expect(run.requests.flatMap(({ tools }) => tools).some((name) => name.endsWith('notes_add'))).toBe(true);
    expect(run.results.at(-1)).toContain(said.notes_add);
    expectRecords(place, run, ['notes_add']);
    const natives = place.transcript(run.result).filter(({ payload }) => payload['fidelity'] === 'agent');
    expect(natives.map(({ type }) => type)).toEqual(['tool.call', 'tool.result']);
  });
});
