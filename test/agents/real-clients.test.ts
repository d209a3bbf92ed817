import { inConversation, type ModelRequest } from 'tidegate/testing';
import { describe, expect, it } from 'vitest';
import { recipes } from './support/recipes/index.js';
import { type AgentRun, runAgent } from './support/run-agent.js';

const canary = 'canary.txt';

/** The requests of the conversation itself, without side requests. */
function conversation({ requests }: AgentRun): readonly ModelRequest[] {
  return requests.filter(({ tools }) => tools.length > 0);
}

function callsOf({ sentToServer }: AgentRun): readonly unknown[] {
  return sentToServer.filter(({ method }) => method === 'tools/call').map(({ params }) => params);
}

describe.each(recipes)('$name', (recipe) => {
  // A forbidden native call, two allowed calls at once, and the end. The same for the agent and its control.
  const script = inConversation([
    { calls: [recipe.touch(canary)] },
    {
      say: 'I ask twice.',
      calls: [
        { name: /echo$/, arguments: { text: 'höhe ⚓' } },
        { name: /store$/, arguments: { text: 'b' } },
      ],
    },
    { say: 'all done' },
  ]);

  it('reaches only the server, and no native tool, if isolated', async () => {
    const run = await runAgent(recipe, { script, isIsolated: true });
    const requests = conversation(run);
    const last = requests.at(-1);
    expect(run.stderr + JSON.stringify(run.events.slice(-3)), 'a last request').toSatisfy(
      () => last?.turn === 2,
    );
    expect(new Set(requests.map(({ format }) => format))).toEqual(new Set([recipe.format]));
    // Calls of one turn may be made at the same time.
    expect(callsOf(run)).toHaveLength(2);
    expect(callsOf(run)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'echo', arguments: { text: 'höhe ⚓' } }),
        expect.objectContaining({ name: 'store', arguments: { text: 'b' } }),
      ]),
    );
    // The agent passed the result of each call and the server instructions to the model.
    const [native, ...honest] = last?.results ?? [];
    expect(native?.text).not.toContain('said');
    expect(honest.map(({ text }) => text)).toEqual([
      expect.stringContaining('echo said höhe ⚓'),
      expect.stringContaining('store said b'),
    ]);
    expect(JSON.stringify(last?.body)).toContain('Probe instructions');
    const ours = (name: string) => name.includes(run.serverName);
    const others = new Set(requests.flatMap(({ tools }) => tools).filter((name) => !ours(name)));
    expect([...others].sort()).toEqual([...recipe.leftovers].sort());
    expect(run.files).not.toContain(canary);
    expect(run.tunnels).toEqual([]);
    expect(run.status).toBe(0);
  });

  it('creates the file with its native tool if it is not isolated', async () => {
    const run = await runAgent(recipe, { script, isIsolated: false });
    expect(run.stderr + JSON.stringify(run.events.slice(-3)), 'a last request').toSatisfy(
      () => conversation(run).at(-1)?.turn === 2,
    );
    expect(run.files).toContain(canary);
  });
});
