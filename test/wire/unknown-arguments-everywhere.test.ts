import { readFileSync } from 'node:fs';
import { openScriptedModel } from 'tidegate/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueServer, manyTools } from '../support/catalogue.js';
import { agentStep, done, type FlowPlace, openFlowPlace } from '../support/flow.js';
import { type HttpGate, openHttpGate } from '../support/gate.js';
import { openSdkClient, sdkKinds } from '../support/sdk-clients.js';

// Something must be deferred, so that call_tool is available.
let place: FlowPlace;
let gate: HttpGate;
let count = 0;

beforeAll(async () => {
  place = openFlowPlace({ servers: { office: catalogueServer(manyTools) } });
  gate = await openHttpGate(place);
});
afterAll(async () => {
  await gate.close();
  place.close();
});

/** A separate file per case, because a tool may refuse to edit a file that changed since it was read. */
function newNotes() {
  count += 1;
  const name = `notes-${String(count)}.txt`;
  const file = place.file(name, 'one\n');
  return {
    name,
    edit: { file_path: name, old_string: 'one', new_string: 'two' },
    text: () => readFileSync(file, 'utf8'),
  };
}

const wires = ['stdio', 'http'] as const;
const pairs = sdkKinds.flatMap((kind) => wires.map((wire) => ({ kind, wire })));

describe('[16.17] an unknown argument of a built-in tool', () => {
  it.each(pairs)(
    'is refused or named, directly and through call_tool ($kind.sdk $kind.mode over $wire)',
    async ({ kind, wire }) => {
      const { name: file, edit, text } = newNotes();
      const client = await openSdkClient({ kind, wire, place, gate });
      const through = (name: string, args: object) => client.call('call_tool', { name, arguments: args });
      const directly = (name: string, args: object) => client.call(name, { ...args });
      for (const call of [directly, through]) {
        const refused = await call('Edit', { ...edit, dry_run: true });
        expect(refused.isError).toBe(true);
        expect(JSON.stringify(refused)).toContain('unknown argument \\"dry_run\\"');
        const executed = await call('Bash', { command: `echo two > ${file}`, dry_run: true });
        expect(executed.isError).toBe(true);
        expect(text()).toBe('one\n');
        const found = await call('Grep', { pattern: 'one', glbo: '*.md' });
        expect(found.isError).not.toBe(true);
        expect(found.structuredContent).toMatchObject({
          ignored_arguments: ['"glbo" (did you mean "glob"?)'],
        });
      }
      // Control: without it the same call edits.
      expect((await through('Edit', edit)).isError).not.toBe(true);
      expect(text()).toBe('two\n');
      await client.close();
    },
  );

  it('of call_tool itself is refused, and nothing is called', async () => {
    const { edit, text } = newNotes();
    const client = await openSdkClient({ kind: sdkKinds[0], wire: 'stdio', place, gate });
    const refused = await client.call('call_tool', { name: 'Edit', arguments: edit, dry_run: true });
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused)).toContain('dry_run');
    expect(text()).toBe('one\n');
    await client.close();
  });

  it('is refused or named in the agent loop of the gateway', async () => {
    const { edit, text } = newNotes();
    const model = await openScriptedModel([
      {
        calls: [
          { name: 'Edit', arguments: { ...edit, dry_run: true } },
          { name: 'Grep', arguments: { pattern: 'one', glbo: '*.md' } },
        ],
      },
      { say: 'done' },
    ]);
    const { status } = await place.flow({
      states: { initial: 'a', a: agentStep(model.url, { tidegate: { tools: ['Edit', 'Grep'] } }), done },
    });
    expect(status).toBe(0);
    const told = model.requests[1]?.messages.filter(({ role }) => role === 'tool').map(({ text }) => text);
    expect(told?.[0]).toContain('dry_run');
    expect(told?.[1]).toContain('glbo');
    expect(text()).toBe('one\n');
    await model.close();
  });
});

describe('[16.27] `inherit_active_mcp` for a step', () => {
  it.each([
    ['true', { inherit_active_mcp: true }, true],
    ['left out', {}, true],
    ['false', { inherit_active_mcp: false }, false],
  ])(
    '%s: decides whether the agent starts with the active tools of its parent',
    async (title, own, inherits) => {
      const model = await openScriptedModel([{ say: 'done' }]);
      const name = `child-${title.replace(' ', '-')}`;
      const tidegate = { tools: ['office_*', 'tool_search', 'call_tool'], lazy: 'on', ...own };
      const file = place.file(
        `.tidegate/workflows/${name}.yaml`,
        JSON.stringify({ name, states: { initial: 'a', a: agentStep(model.url, { tidegate }), done } }),
      );
      expect((await place.run1(['trust', file, '--yes'])).status).toBe(0);
      const client = await openSdkClient({
        ...{ kind: sdkKinds[0], wire: 'stdio' as const, place, gate, name: 'opencode', obeys: true },
      });
      await client.tools();
      await client.call('tool_search', { query: 'select:office_share_photo' });
      const ran = await client.call('execute_workflow', { workflow: name, inputs: {} });
      expect(ran.structuredContent).toMatchObject({ status: 'completed' });
      const seen = model.requests[0]?.tools ?? [];
      expect(seen).toContain('tool_search');
      expect(seen.includes('office_share_photo')).toBe(inherits);
      await client.close();
      await model.close();
    },
  );
});
