import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTag, endTagged, findTagged, within } from './tagged.fixture.js';

const PATH = '/usr/bin:/bin';

/** A gateway that gives its terminal to one child, and ends it on SIGTERM. */
const gateSource = `
import { openProcesses } from './processes.js';
const processes = openProcesses({ stateDir: process.env.STATE });
const order = { owner: 'test', command: '/bin/sh', args: ['-c', process.env.TREE], cwd: '/', env: { PATH: '${PATH}' } };
const patience = { afterInputMs: 0, afterTermMs: 300 };
const child = await processes.start({ ...order, patience, isOnTerminal: true });
const end = async () => {
  const { isGone } = await child.close();
  console.log('closed', isGone);
  await processes.close();
  process.exit(0);
};
process.on('SIGTERM', () => console.log('told') ?? void end());
child.onExit(() => void end());
console.log('started', process.pid);
`;

describe.skipIf(process.platform !== 'linux')('a child with the terminal of the gateway', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-terminal-'));
  const bundle = join(directory, 'gate.mjs');
  const tags: string[] = [];
  const leaders: ChildProcess[] = [];

  beforeAll(async () => {
    const stdin = { contents: gateSource, resolveDir: import.meta.dirname, loader: 'ts' } as const;
    await build({ stdin, bundle: true, platform: 'node', format: 'esm', outfile: bundle, logLevel: 'error' });
  });
  afterEach(() => {
    for (const tag of tags.splice(0)) endTagged(tag);
    for (const leader of leaders.splice(0)) leader.kill('SIGKILL');
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  /** A script with the gate and with another process, all in one group, as where there are no jobs. */
  async function openScript(tree: (tag: string) => string) {
    const [tag, bystander] = [createTag(), createTag()];
    tags.push(tag, bystander);
    const env = { PATH, STATE: mkdtempSync(join(directory, 'state-')), TREE: tree(tag) };
    const line = `sleep ${bystander} & "$0" "$1"; echo went on; wait`;
    const leader = spawn('/bin/sh', ['-c', line, process.execPath, bundle], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    leaders.push(leader);
    let said = '';
    leader.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await within(10_000, 'the gate', () => said.includes('started') && findTagged(tag).length > 0);
    return {
      leader,
      pid: Number(/started (\d+)/.exec(said)?.[1]),
      said: () => said,
      left: () => findTagged(tag).length,
      isScriptThere: () => findTagged(bystander).length > 1,
    };
  }

  const stubborn = (tag: string): string =>
    `trap '' TERM; sleep ${tag} & setsid sleep ${tag} & env -i /bin/sleep ${tag} & while :; do sleep ${tag}; done`;

  it('is ended with all its descendants, and no other member of the group', async () => {
    const script = await openScript(stubborn);
    process.kill(script.pid, 'SIGTERM');
    await within(5000, 'the end of the gate', () => script.said().includes('went on'));
    // Once: our signal did not reach ourselves.
    expect(script.said().match(/told/g)).toHaveLength(1);
    expect(script.said()).toContain('closed true');
    expect([script.left(), script.isScriptThere()]).toEqual([0, true]);
  });

  it('leaves nothing in the group when it exits', async () => {
    const script = await openScript((tag) => `(trap '' TERM; sleep ${tag}) & sleep 0.5`);
    await within(5000, 'the end of the gate', () => script.said().includes('went on'));
    expect([script.left(), script.isScriptThere()]).toEqual([0, true]);
  });

  it('is ended by the reaper when the gateway is killed, and no other member of the group', async () => {
    const script = await openScript(stubborn);
    process.kill(script.pid, 'SIGKILL');
    // All but the one without a mark: the reaper has nothing else to know it by.
    await within(6000, 'the end of the children', () => script.left() <= 1);
    await within(1000, 'the script', () => script.said().includes('went on'));
    expect(script.isScriptThere()).toBe(true);
  });

  it('control: a signal to its group ends the script too', async () => {
    const script = await openScript((tag) => `sleep ${tag}`);
    process.kill(-(script.leader.pid ?? Number.NaN), 'SIGTERM');
    await within(3000, 'the end of the script', () => !script.isScriptThere());
  });
});
