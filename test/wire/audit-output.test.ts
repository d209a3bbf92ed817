import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endProcess, openPlace, type Place, spawnStdioGate } from '../support/gate.js';
import { openLineClient } from '../support/line-client.js';
import { runGate } from '../support/run-program.js';

let place: Place;
beforeAll(() => {
  place = openPlace({ builtins: ['Read', 'Bash'] });
});
afterAll(() => place.close());

it('audit shows invalid arguments as an error of the call, and only refused calls as denied', async () => {
  const client = openLineClient(spawnStdioGate(place, '--as', 'agent:alice'));
  await client.initialize({});
  await client.request('tools/call', { name: 'Read', arguments: { file_path: 1 } });
  await client.request('tools/call', { name: 'Bash', arguments: { command: 'true' } });
  await endProcess(client.child);
  const { stdout } = place.run('audit', '--action', 'call');
  expect(stdout).toMatch(/ error +agent:alice +call +Read {2}input\.invalid\n/);
  expect(stdout).toMatch(/ deny +agent:alice +call +Bash {2}\w+\n/);
  // The stored record stays unchanged.
  const { records } = JSON.parse(place.run('audit', '--action', 'call', '--json').stdout) as {
    readonly records: readonly { readonly decision: string }[];
  };
  expect(records.map(({ decision }) => decision)).toEqual(['deny', 'deny']);
});

it('audit and check report a name that matches nothing, and suggest a similar one', async () => {
  const nobody = await runGate(place, ['audit', '--principal', 'alice', '--limit', '5']);
  expect(nobody.status).toBe(2);
  expect(nobody.stderr).toContain('error access.bad_principal: "alice" is not a valid principal');
  expect(nobody.stderr).toContain('next: tidegate audit --principal agent:alice --limit 5\n');
  const action = await runGate(place, ['audit', '--action', 'grant.wirte']);
  expect(action).toMatchObject({ status: 0, stdout: 'No audit records found.\n' });
  expect(action.stderr).toContain('Unknown action "grant.wirte". Did you mean grant.write?\n');
  const tool = await runGate(place, ['check', 'agent:bo', 'Reed']);
  expect(tool.status).toBe(1);
  expect(tool.stderr).toContain('No tool matches "Reed". Did you mean "Read"?\n');
});

it('audit records a command refused for a principal, whether or not the tool exists', async () => {
  for (const name of ['Bash', 'Nothing']) {
    const { status, stderr } = await runGate(place, ['tools', 'call', name, '--as', 'agent:carol']);
    expect(status).toBe(3);
    expect(stderr).toContain(`next: tidegate explain agent:carol ${name}\n`);
  }
  const { stdout } = place.run('audit', '--denied', '--principal', 'agent:carol');
  expect(stdout).toMatch(/ deny +agent:carol +call +Bash {2}no_grant\n/);
  expect(stdout).toMatch(/ deny +agent:carol +call +Nothing {2}unknown_tool\n/);
});

it('audit shows actual changes, and a call that could not be made as an error', async () => {
  writeFileSync(
    join(place.directory, 'workspace', 'grants.yaml'),
    'tidegate: access\nformat: 1\ntuples:\n  - { user: principal:agent/dora, relation: assignee, object: profile:coding }\n',
  );
  const importGrants = () => runGate(place, ['access', 'import', 'grants.yaml']);
  expect((await importGrants()).status).toBe(0);
  expect((await importGrants()).status).toBe(0);
  const imports = place.run('audit', '--action', 'access.import').stdout;
  expect(imports.match(/access\.import +local(?: {2}\+1)?$/gm)).toEqual([
    expect.not.stringContaining('+1'),
    expect.stringContaining('+1'),
  ]);
  const rootless = openPlace({ builtins: ['Read'], workspace: { roots: ['nowhere'] } });
  try {
    const { status, stderr } = await runGate(rootless, ['tools', 'call', 'Read', 'file_path=x']);
    expect([status, stderr]).toEqual([4, expect.stringContaining('next: tidegate doctor\n')]);
    expect(rootless.run('audit').stdout).toMatch(/ error +\S+ +call +Read {2}need\.unavailable\n/);
  } finally {
    rootless.close();
  }
});
