import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inConversation, type ScriptedTurn } from 'tidegate/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';
import { gatedAgent, gatedClis } from './support/gated.js';
import { type GatedPlace, openGatedPlace } from './support/gated-place.js';

// A server with many tools: agents see the tools they search for, and can call them in the next turn.

const names = Array.from({ length: 60 }, (_, at) => `gadget_${String(at)}`);
const wanted = 'gadget_42';
const answer = { result: '{"content":[{"type":"text","text":"gadget 42 spins"}]}' };

let upstream: ScriptedUpstream;
let place: GatedPlace;
beforeAll(async () => {
  const tool = (name: string): string =>
    JSON.stringify({ name, description: `Spins ${name}.`, inputSchema: { type: 'object' } });
  upstream = await openScripted('stdio', 'legacy', {
    lists: { 'tools/list': names.map(tool) },
    answers: { 'tools/call': { [wanted]: answer } },
  });
  place = openGatedPlace({ servers: { up: upstream.entry } });
});
afterAll(async () => {
  place.close();
  await upstream.close();
});

const search: ScriptedTurn = {
  calls: [{ name: /(?:^|[_/])tool_search$/, arguments: { query: `select:up_${wanted}` } }],
};
const step = { tidegate: { servers: ['up'], lazy: 'on' } };
const ours = new RegExp(`up_${wanted}$`);

/** Sets whether lists grow in the stored isolation results. */
function learn(growsList: boolean): void {
  const file = join(place.env['TIDEGATE_HOME'] ?? '', 'agents.json');
  const text = readFileSync(file, 'utf8').replaceAll(
    /"growsList":(?:true|false)/g,
    `"growsList":${String(growsList)}`,
  );
  writeFileSync(file, text);
}

describe.each(gatedClis)('$title and a server with many tools', (gated) => {
  it('search, activation, and the call in the next turn', async () => {
    learn(true);
    const run = await place.runAgent(
      gated,
      [search, { calls: [{ name: ours, arguments: {} }] }, { say: 'all done' }],
      { step },
    );
    expect(run.result).toMatchObject({ status: 'completed', steps: [{ output: 'all done' }] });
    const shown = run.requests.map(({ tools }) => tools.filter((name) => name.includes('gadget')));
    expect(shown[0]).toEqual([]);
    expect(shown[1]).toEqual([expect.stringMatching(ours)]);
    expect(run.results.at(-1)).toContain('gadget 42 spins');
  });
});

describe('an agent whose list does not grow', () => {
  it('gets call_tool because of its isolation result, and calls the found tool through it', async () => {
    learn(false);
    const script = inConversation([
      search,
      { calls: [{ name: /(?:^|[_/])call_tool$/, arguments: { name: `up_${wanted}`, arguments: {} } }] },
      { say: 'all done' },
    ]);
    const run = await place.runAgent(gatedAgent('claude'), script, { step });
    expect(run.result).toMatchObject({ status: 'completed', steps: [{ output: 'all done' }] });
    expect(run.results.at(-1)).toContain('gadget 42 spins');
    for (const { tools } of run.requests) expect(tools.filter((name) => name.includes('gadget'))).toEqual([]);
  });
});
