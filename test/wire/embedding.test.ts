import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

let directory = '';

/** A third-party program with the package in its node_modules. */
function run(source: string): unknown {
  const file = join(directory, 'program.mjs');
  writeFileSync(file, source);
  const env = { PATH: process.env['PATH'] ?? '', HOME: directory, TIDEGATE_HOME: join(directory, 'state') };
  return JSON.parse(execFileSync(process.execPath, [file], { cwd: directory, env, encoding: 'utf8' }));
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-embed-'));
  mkdirSync(join(directory, 'node_modules'));
  symlinkSync(root, join(directory, 'node_modules', 'tidegate'), 'dir');
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const opening = `
import { callTool, listTools, openTidegate } from 'tidegate';
import { defineTool, z } from 'tidegate/tool';
const add = defineTool({
  name: 'add', title: 'Add', description: 'Adds two numbers.', effect: 'read',
  input: z.object({ a: z.number().describe('One.'), b: z.number().describe('Another.') }),
  run: ({ a, b }) => String(a + b),
});
const gate = await openTidegate({ cwd: process.cwd(), env: process.env, version: '0', mode: 'command', tools: [add], toolPatterns: ['add'] });
`;

describe('a program that embeds the gateway', () => {
  it('lists and calls its own tools through the pipeline', () => {
    const seen = run(`${opening}
      const outcome = await callTool(gate, 'add', '{"a":1,"b":2}', new AbortController().signal);
      console.log(JSON.stringify({ names: (await listTools(gate)).map((tool) => tool.name), result: outcome.result.value }));
      await gate.close();`);
    expect(seen).toEqual({ names: ['add'], result: { content: [{ type: 'text', text: '3' }] } });
  });

  it('gets the schema for invalid arguments, and an error for an unknown tool', () => {
    const seen = run(`${opening}
      const signal = new AbortController().signal;
      const wrong = await callTool(gate, 'add', '{"a":"one"}', signal);
      const unknown = await callTool(gate, 'nothing', '{}', signal);
      console.log(JSON.stringify([wrong.fault.code, wrong.fault.data.inputSchema.required, unknown.fault.code]));
      await gate.close();`);
    expect(seen).toEqual(['input.invalid', ['a', 'b'], 'tool.not_found']);
  });

  it('gives its sub-agents fewer tools than it has, and never more', () => {
    const seen =
      run(`${opening.replace("toolPatterns: ['add']", "toolPatterns: ['add', 'Read', 'Write', 'Bash']")}
      const { createFakeExchange } = await import('tidegate/testing');
      const see = async (session) => {
        await gate.gateway.registry.settle(session);
        return gate.gateway.registry.list(session, 'tools').map(({ name }) => name).sort();
      };
      const own = gate.localSession('connection');
      const lead = await gate.subSession(own, { as: 'agent:lead', tools: ['add', 'Read', 'Write'] });
      const helper = await gate.subSession(lead, { as: 'agent:helper', tools: ['Read', 'Bash', 'add'] });
      const reader = await gate.subSession(helper, { profile: 'minimal' });
      const bound = await gate.subSession(own, { profile: 'coding' });
      let deep = reader;
      let links = 0;
      try { for (;;) { deep = await gate.subSession(deep); links = deep.chain.length; } } catch (error) { deep = error.code; }
      const wrong = await gate.subSession(own, { as: 'nobody' }).catch((error) => error.code);
      const unknown = await gate.subSession(own, { profile: 'codign' }).catch((error) => error.code);
      const call = async (session, wanted) =>
        (await gate.gateway.call({ id: 'r', session, wanted, params: {} }, createFakeExchange())).fault?.code;
      console.log(JSON.stringify({
        own: await see(own), lead: await see(lead), helper: await see(helper), reader: await see(reader), bound: await see(bound),
        refused: await call(helper, { kind: 'tool', name: 'Write' }), links, deep, wrong, unknown,
      }));
      await gate.close();`);
    expect(seen).toEqual({
      own: ['Bash', 'Read', 'Write', 'add'],
      lead: ['Read', 'Write', 'add'],
      helper: ['Read', 'add'],
      reader: ['Read'],
      bound: ['Read', 'Write'],
      refused: 'tool.not_found',
      links: 8,
      deep: 'token.too_deep',
      wrong: 'access.bad_principal',
      unknown: 'access.unknown_profile',
    });
  });

  it('can test against the fakes', () => {
    const seen = run(`
      import { createFakeExchange, createFakeProvider } from 'tidegate/testing';
      const exchange = createFakeExchange({ answer: () => ({ action: 'accept' }) });
      const answer = await exchange.ask({ method: 'elicitation/create', params: { text: '{}' } });
      const provider = createFakeProvider('fake', { one: () => ({ kind: 'content' }) });
      console.log(JSON.stringify([answer.kind, provider.list().tools.map((tool) => tool.name)]));`);
    expect(seen).toEqual(['answer', ['one']]);
  });
});
