import { inConversation, type ModelRequest } from 'tidegate/testing';
import { describe, expect, it } from 'vitest';
import { recipes } from './support/recipes/index.js';
import { type AgentRun, runAgent } from './support/run-agent.js';

const canary = 'canary.txt';

/** The requests of the conversation itself, without asides. */
function conversation({ requests }: AgentRun): readonly ModelRequest[] {
  return requests.filter(({ tools }) => tools.length > 0);
}

function callsOf({ sentToServer }: AgentRun): readonly unknown[] {
  return sentToServer.filter(({ method }) => method === 'tools/call').map(({ params }) => params);
}

describe.each(recipes)('$name', (recipe) => {
  // A native call that nobody may make, an honest one, and the end: the same for the agent and for its control.
  const script = inConversation([
    { calls: [recipe.touch(canary)] },
    { calls: [{ name: /echo$/, arguments: { text: 'höhe ⚓' } }] },
    { say: 'all done' },
  ]);

  it('reaches the server by an honest call and no native tool when isolated', async () => {
    const run = await runAgent(recipe, { script, isIsolated: true });
    const requests = conversation(run);
    const last = requests.at(-1);
    expect(run.stderr + JSON.stringify(run.events.slice(-3)), 'a last request').toSatisfy(
      () => last?.turn === 2,
    );
    expect(new Set(requests.map(({ format }) => format))).toEqual(new Set([recipe.format]));
    expect(callsOf(run)).toMatchObject([{ name: 'echo', arguments: { text: 'höhe ⚓' } }]);
    // The agent told the model what came of both calls.
    expect(last?.results.map(({ text }) => text.includes('echo said höhe ⚓'))).toEqual([false, true]);
    const ours = (name: string) => name.includes(run.serverName);
    const others = new Set(requests.flatMap(({ tools }) => tools).filter((name) => !ours(name)));
    expect([...others].sort()).toEqual([...recipe.leftovers].sort());
    expect(run.files).not.toContain(canary);
    expect(run.status).toBe(0);
  });

  it('makes the file with its native tool when it is not isolated', async () => {
    const run = await runAgent(recipe, { script, isIsolated: false });
    expect(run.stderr + JSON.stringify(run.events.slice(-3)), 'a last request').toSatisfy(
      () => conversation(run).at(-1)?.turn === 2,
    );
    expect(run.files).toContain(canary);
  });
});
