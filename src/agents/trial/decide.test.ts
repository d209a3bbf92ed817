import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../model/index.js';
import { claude } from '../claude.js';
import { type Evidence, decide } from './decide.js';
import { trialScript, turnOf } from './script.js';

const tools = { file: 'note.txt', word: 'the-word', made: 'honest.txt', late: 'late_Glob' };
const script = trialScript(claude, tools);
const rogue = script.traces.size;
const ours = ['mcp__tserver__Read', 'mcp__tserver__tool_search'];
const refused = (tool: string) => ({ callId: 'x', tool, text: `No such tool available: ${tool}` });
const results = [
  ...[...script.traces.values()].map(refused),
  { callId: 'r', tool: 'mcp__tserver__Read', text: 'the-word' },
  { callId: 'w', tool: 'mcp__tserver__Write', text: 'ok' },
  { callId: 's', tool: 'mcp__tserver__tool_search', text: 'found' },
];

function request(turn: number, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    format: 'x',
    model: 'm',
    isStreaming: true,
    tools: ours,
    advertised: [],
    turn,
    results: results.slice(0, turn),
    instructions: '',
    messages: [],
    headers: {},
    body: {},
    ...more,
  };
}

const late = [...ours, 'mcp__tserver__late_Glob'];
const sound: Evidence = {
  requests: [
    ...Array.from({ length: script.searchTurn }, (_, turn) => request(turn)),
    request(script.searchTurn, { tools: late }),
  ],
  ran: [],
  acted: [],
  files: ['note.txt', 'honest.txt'],
};
const verdict = (more: Partial<Evidence> = {}) =>
  decide(claude, '1.0.0', script, tools, 'tserver', { ...sound, ...more });

describe('the isolation result of an agent', () => {
  it('is isolated if all forbidden calls were denied and the allowed ones worked', () => {
    expect(verdict()).toEqual({ kind: 'isolated', version: '1.0.0', growsList: true });
  });

  it('reports a fixed tool list if the late tool is missing in the next turn', () => {
    const requests = [
      ...sound.requests.slice(0, -1),
      request(script.searchTurn),
      request(script.searchTurn + 1, { tools: late }),
    ];
    expect(verdict({ requests })).toMatchObject({ kind: 'isolated', growsList: false });
  });

  it('reports a leak if a file exists, or a tool was reported as run or shown', () => {
    expect(verdict({ files: [...sound.files, 'rogue-0.txt'] })).toMatchObject({
      kind: 'leaks',
      leaks: ['Bash'],
    });
    expect(verdict({ acted: ['.mcp.json'] })).toMatchObject({ kind: 'leaks', leaks: ['code of .mcp.json'] });
    expect(verdict({ ran: ['Write'] })).toMatchObject({ kind: 'leaks', leaks: ['Write'] });
    const shown = [...sound.requests, request(1, { tools: [...ours, 'Edit', 'DeferredToolPlaceholder'] })];
    expect(verdict({ requests: shown })).toMatchObject({ kind: 'leaks', leaks: ['Edit'] });
  });

  it('reports a leak if a hidden tool complains about its arguments', () => {
    const names = [...script.traces.values()];
    const complains = results.map((one) =>
      one.tool === 'Read' && one.callId === 'x' ? { ...one, text: 'file_path is missing' } : one,
    );
    const requests = [...sound.requests, request(rogue, { results: complains })];
    expect(names).toContain('Read');
    expect(verdict({ requests: requests.reverse() })).toMatchObject({ kind: 'leaks', leaks: ['Read'] });
  });

  it('is unprovable without requests, without returned calls or without the gateway', () => {
    expect(verdict({ requests: [], failure: 'no key' })).toEqual({
      kind: 'unprovable',
      version: '1.0.0',
      why: 'no key',
    });
    const few = verdict({ requests: sound.requests.slice(0, 3), failure: 'it hung' });
    expect(few).toMatchObject({
      why: `only 2 of ${String(rogue)} test calls to its own tools returned: it hung`,
    });
    expect(verdict({ files: ['note.txt'] })).toMatchObject({ kind: 'unprovable' });
    const deaf = sound.requests.map((one) => ({
      ...one,
      results: one.results.filter(({ callId }) => callId === 'x'),
    }));
    expect(verdict({ requests: deaf })).toMatchObject({ kind: 'unprovable' });
  });
});

describe('the script of an isolation test', () => {
  it('calls every tool the agent may have, and some that no agent has', () => {
    const called = script.turns.flatMap((turn) => ('calls' in turn ? (turn.calls ?? []) : []));
    const names = called.map(({ name }) => name);
    for (const { name } of claude.natives) expect(names).toContain(name);
    expect(names).toContain('Frobnicate');
    expect(new Set(script.traces.keys()).size).toBe(claude.natives.length + 3);
  });

  it('ends if a needed tool is not shown, and answers side requests briefly', () => {
    const advertised = [{ name: 'x', kind: 'function', isDeferred: false }] as const;
    expect(turnOf(script.turns, { turn: rogue, advertised, tools: ['x'], body: {} })).toHaveProperty('say');
    expect(turnOf(script.turns, { turn: rogue, advertised, tools: ours, body: {} })).toHaveProperty('calls');
    expect(turnOf(script.turns, { turn: 0, advertised: [], tools: [], body: {} })).toEqual({ say: 'ok' });
  });
});
