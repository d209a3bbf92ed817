import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { files, folders, isKnown } from '../../src/features/doctor/own-entries.js';
import { answerLines, writeFakeAgent } from '../support/fake-agent.js';
import {
  endProcess,
  fixtureServer,
  openHttpGate,
  program,
  spawnStdioGate,
  waitFor,
} from '../support/gate.js';
import { openLineClient } from '../support/line-client.js';
import { followLink, type LoginWorld, openLoginWorld } from '../support/login-world.js';
import { openPluginPlace, type PluginPlace } from '../support/plugin-place.js';
import { type Ran, runGate, type RunMore } from '../support/run-program.js';

// Doctor has a list of all entries that Tidegate creates in its state directory. This test makes the program create every
// possible entry, temporary or permanent, and checks that the list contains it.

let place: PluginPlace;
let world: LoginWorld;
let home: string;
/** Every name ever seen in the state directory. */
const seen = new Set<string>();
let watching: NodeJS.Timeout;

function look(): void {
  try {
    for (const name of readdirSync(home)) seen.add(name);
  } catch {
    // Not made yet.
  }
}

async function did(args: readonly string[], more: RunMore = {}): Promise<Ran> {
  const ran = await runGate(place, args, more);
  look();
  expect([args.join(' '), ran.status, ran.stderr]).toEqual([args.join(' '), 0, expect.anything()]);
  return ran;
}

beforeAll(async () => {
  world = await openLoginWorld({ mark: 'entries' });
  const servers = { local: { command: process.execPath, args: [fixtureServer] }, far: { url: world.url } };
  place = openPluginPlace(
    { peer: {} },
    { servers, builtins: ['*'], store: { kind: 'sqlite' }, context: { lazy: 'on' } },
  );
  home = place.env['TIDEGATE_HOME'] ?? '';
  watching = setInterval(look, 2);
});
afterAll(async () => {
  clearInterval(watching);
  await world.close();
  place.close();
});

async function logIn(): Promise<void> {
  const child = spawn(process.execPath, [program, 'login', 'far', '--no-browser'], {
    cwd: place.workspace,
    env: place.env,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => (text += part.toString()));
  const ended = new Promise((resolve) => child.once('close', resolve));
  await waitFor(
    () => text.includes('http://127'),
    20_000,
    () => `no link: ${text}`,
  );
  await followLink(/http:\/\/127[^\s"]+/.exec(text)?.[0] ?? '');
  expect([await ended, text]).toEqual([0, expect.anything()]);
}

async function runAgents(): Promise<void> {
  const bin = join(place.directory, 'bin');
  mkdirSync(bin);
  writeFakeAgent(bin, 'claude', { cli: 'claude', lines: answerLines('claude') });
  const env = { ...place.env, PATH: `${bin}:${place.env['PATH'] ?? ''}` };
  // A fake agent, so its isolation result does not matter.
  for (const words of [
    ['run', '--agent', 'claude', '--prompt', 'go'],
    ['exec', 'claude'],
    ['doctor', '--agent', 'claude'],
  ])
    await runGate(place, words, { env });
  look();
}

async function importAll(): Promise<void> {
  const file = join(place.env['HOME'] ?? '', '.cursor', 'mcp.json');
  mkdirSync(dirname(file), { recursive: true });
  const one = { command: 'one', env: { ONE_TOKEN: 'ghp_madeUpForTests0000000000000000000011' } };
  writeFileSync(file, JSON.stringify({ mcpServers: { one } }));
  await did(['import', 'cursor', '--point', '--yes', '--secrets', 'keep']);
  writeFileSync(file, readFileSync(file, 'utf8').replace('"tidegate"', '"tidegate" '));
  await did(['import', 'cursor', '--undo', '--force']);
  // The operator's own file is there, too.
  await did(['import', 'cursor', '--user', '--yes', '--secrets', 'keep']);
}

/** A session with deferred tools publishes its active tools to other processes. */
async function listLazily(): Promise<void> {
  const client = openLineClient(spawnStdioGate(place));
  await client.initialize();
  await client.request('tools/list', {});
  await waitFor(
    () => seen.has('active'),
    20_000,
    () => 'nothing was published',
  );
  await endProcess(client.child);
}

describe('the state directory', () => {
  it('contains only entries that doctor knows, whatever the program did', async () => {
    place.trustPlugins('peer');
    place.writeWorkspace(
      '.tidegate/tools/hello.tool.js',
      "import { defineTool } from 'tidegate/tool';\nimport { z } from 'zod';\nexport default defineTool({ name: 'hello', title: 'Hello', description: 'Says hello.', effect: 'read', input: z.object({}), run: () => 'hello' });\n",
    );
    place.writeWorkspace(
      'flow.yaml',
      'name: flow\nstates:\n  initial: a\n  a: {type: step, command: echo hi, on_success: done}\n  done: {type: terminal}\n',
    );
    await did(['trust', '--yes']);
    await did(['tools', 'list']);
    await did([
      'tools',
      'call',
      'Write',
      JSON.stringify({ file_path: join(place.workspace, 'a.txt'), content: 'a' }),
    ]);
    await did(['tools', 'call', 'Bash', '{"command":"echo hi"}']);
    await did(['tools', 'cost']);
    await did(['secrets', 'set', 'SOME_NAME'], { input: 'value' });
    await did(['grant', 'agent:alice', 'Read']);
    await did(['token', 'create', '--as', 'agent:alice']);
    await did(['run', 'flow.yaml']);
    await did(['plugin', 'disable', 'peer']);
    await did(['plugin', 'enable', 'peer']);
    await logIn();
    await importAll();
    await runAgents();
    const gate = await openHttpGate(place);
    await did(['tools', 'call', 'Read', JSON.stringify({ file_path: join(place.workspace, 'a.txt') })]);
    await gate.close();
    await listLazily();
    await did(['audit']);
    expect([...seen].filter((name) => !isKnown(name))).toEqual([]);
    // The test covers only what the program did here.
    // Only users create the file under its other name.
    expect([...folders, ...files].filter((name) => !seen.has(name))).toEqual(['tidegate.yml']);
  }, 240_000);

  it('the control: a foreign file is reported', async () => {
    writeFileSync(join(home, 'holiday.jpg'), '');
    chmodSync(home, 0o755);
    const { stdout } = await runGate(place, ['doctor', '--only', 'home', '--json']);
    expect(stdout).toContain('contains holiday.jpg, which Tidegate did not create');
  });
});
