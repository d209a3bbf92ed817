import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openReaper } from './reaper.js';
import { shellReaper } from './reaper-scripts.js';
import { sweepLeases } from './lease.js';
import { createGateId } from './mark.js';
import { createTag, endTagged, findReaper, findTagged, hardTrees, pause, within } from './tagged.fixture.js';

const PATH = '/usr/bin:/bin';

/** A gateway in a separate process: starts the given process trees, then waits, and shuts down on SIGTERM. */
const gateSource = `
import { openProcesses } from './processes.js';
const processes = openProcesses({ stateDir: process.env.STATE });
const leave = () => void processes.close().then(() => process.exit(0));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, leave);
process.stdin.on('end', leave).resume();
console.log('ready');
for (const script of JSON.parse(process.env.TREES)) {
  const order = { owner: 'test', command: '/bin/sh', args: ['-c', script], cwd: '/', env: { PATH: '${PATH}' } };
  await processes.start(order);
  await new Promise((resolve) => setTimeout(resolve, 5));
}
console.log('started');
`;

interface Gate {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly hasSaid: (word: string) => boolean;
  readonly exited: Promise<void>;
}

describe.skipIf(process.platform !== 'linux')('the reaper', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-reaper-'));
  const bundle = join(directory, 'gate.mjs');
  const tags: string[] = [];

  beforeAll(async () => {
    const stdin = { contents: gateSource, resolveDir: import.meta.dirname, loader: 'ts' } as const;
    await build({ stdin, bundle: true, platform: 'node', format: 'esm', outfile: bundle, logLevel: 'error' });
  });
  afterEach(() => {
    for (const tag of tags.splice(0)) endTagged(tag);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const tagged = () => {
    const tag = createTag();
    tags.push(tag);
    return tag;
  };
  const openGate = async (trees: readonly string[], state: string): Promise<Gate> => {
    const env = { PATH, STATE: state, TREES: JSON.stringify(trees) };
    const gate = spawn(process.execPath, [bundle], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    let said = '';
    gate.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const exited = new Promise<void>((resolve) => gate.once('exit', () => resolve()));
    const hasSaid = (word: string) => said.includes(word);
    await within(10_000, 'the gate', () => hasSaid('ready'));
    return { process: gate, pid: gate.pid ?? 0, hasSaid, exited };
  };
  const leasesIn = (state: string) =>
    existsSync(join(state, 'leases')) ? readdirSync(join(state, 'leases')) : [];

  it('ends everything within 5 s when the gateway is killed with -9 at 20 random moments', async () => {
    const round = async () => {
      const tag = tagged();
      const state = mkdtempSync(join(directory, 'state-'));
      const gate = await openGate(hardTrees(tag), state);
      await pause(Math.random() * 120);
      gate.process.kill('SIGKILL');
      await gate.exited;
      await within(5000, 'end of all children', () => findTagged(tag).length === 0);
      await within(5000, 'end of the lease', () => leasesIn(state).length === 0);
      // A process that was about to be born when all seemed quiet would show up now.
      await pause(300);
      expect(findTagged(tag)).toEqual([]);
    };
    for (let batch = 0; batch < 5; batch += 1) await Promise.all([round(), round(), round(), round()]);
  }, 60_000);

  it('control: without the reaper, the same kill leaves survivors; the next start ends them', async () => {
    const tag = tagged();
    const state = mkdtempSync(join(directory, 'state-'));
    const gate = await openGate(hardTrees(tag), state);
    await within(5000, 'the children', () => gate.hasSaid('started'));
    // Frozen first, so that it cannot start another reaper.
    gate.process.kill('SIGSTOP');
    process.kill(findReaper(gate.pid) ?? Number.NaN, 'SIGKILL');
    gate.process.kill('SIGKILL');
    await gate.exited;
    await pause(5000);
    expect(findTagged(tag).length).toBeGreaterThan(4);

    const swept = await sweepLeases(state);
    expect(swept.leases).toBe(1);
    expect(swept.processes).toBeGreaterThan(4);
    expect(leasesIn(state)).toEqual([]);
    expect(findTagged(tag)).toEqual([]);
  }, 30_000);

  it.each([
    ['SIGTERM', (gate: Gate) => void gate.process.kill('SIGTERM')],
    ['SIGINT', (gate: Gate) => void gate.process.kill('SIGINT')],
    ['the end of stdin', (gate: Gate) => void gate.process.stdin?.end()],
  ])('lets the gateway exit at once on %s and ends everything afterwards', async (_name, stop) => {
    const tag = tagged();
    const state = mkdtempSync(join(directory, 'state-'));
    const gate = await openGate(hardTrees(tag), state);
    await within(5000, 'the children', () => gate.hasSaid('started'));
    const begin = performance.now();
    stop(gate);
    await gate.exited;
    // Around 10 ms; the limit allows for a busy machine.
    expect(performance.now() - begin).toBeLessThan(5_000);
    await within(5000, 'end of all children', () => findTagged(tag).length === 0);
    await within(5000, 'end of the lease', () => leasesIn(state).length === 0);
  });

  it('finds a setsid grandchild by its mark; control: without the mark it is not found', async () => {
    const [marked, unmarked] = [tagged(), tagged()];
    const state = mkdtempSync(join(directory, 'state-'));
    const trees = [`setsid sleep ${marked} &`, `setsid env -i sleep ${unmarked} &`];
    // Not shells: they would end, and be cleaned up, before the gate dies.
    const gate = await openGate(
      trees.map((tree) => `${tree} exec sleep ${marked}`),
      state,
    );
    await within(
      5000,
      'the grandchildren',
      () => gate.hasSaid('started') && findTagged(unmarked).length === 1,
    );
    // Time for setsid to leave the group.
    await pause(300);
    gate.process.kill('SIGKILL');
    await gate.exited;
    await within(5000, 'end of all marked', () => findTagged(marked).length === 0);
    await within(5000, 'end of the lease', () => leasesIn(state).length === 0);
    expect(findTagged(unmarked)).toHaveLength(1);
  });

  it('of a gateway inside a gateway finishes its work when the outer one is killed with -9', async () => {
    const tag = tagged();
    const [outer, inner] = [mkdtempSync(join(directory, 'state-')), mkdtempSync(join(directory, 'state-'))];
    const trees = join(directory, 'trees.json');
    writeFileSync(trees, JSON.stringify(hardTrees(tag)));
    const words = `STATE='${inner}' TREES="$(cat '${trees}')"`;
    const gate = await openGate([`${words} exec '${process.execPath}' '${bundle}'`], outer);
    await within(5000, 'the inner children', () => findTagged(tag).length > 10);
    gate.process.kill('SIGKILL');
    await gate.exited;
    await within(5000, 'end of all children', () => findTagged(tag).length === 0);
    await within(5000, 'end of both leases', () => leasesIn(outer).length + leasesIn(inner).length === 0);
  });

  it.each([
    ['the shell', '/bin/sh'],
    ['Node, where there is no shell,', '/no/shell'],
  ])('%s ends registered groups, and marked children that were never registered', async (_name, shell) => {
    const [known, released, unknown] = [tagged(), tagged(), tagged()];
    const gateId = createGateId();
    const leaseFile = join(directory, `lease ${gateId}`);
    writeFileSync(leaseFile, '');
    const reaper = openReaper({ gateId, leaseFile, log: () => {}, shell });
    reaper.ensure();
    const start = (script: string, env: Readonly<Record<string, string>>) =>
      spawn('sh', ['-c', script], { detached: true, stdio: 'ignore', env: { PATH, ...env } }).pid ?? 0;
    reaper.add(start(`sleep ${known} & exec sleep ${known}`, {}));
    const gone = start(`exec sleep ${released}`, {});
    reaper.add(gone);
    reaper.remove(gone);
    start(`env -i sleep ${unknown} & exec sleep ${unknown}`, { TIDEGATE_KEEPER: `${gateId}.1` });
    await pause(200);
    reaper.close();
    await within(5000, 'end of both', () => findTagged(known).length + findTagged(unknown).length === 0);
    await within(5000, 'end of the lease', () => !existsSync(leaseFile));
    expect(findTagged(released)).toHaveLength(1);
  });

  it('finds marks with a grep that stops reading a line at its first zero byte', async () => {
    const tag = tagged();
    const gateId = createGateId();
    const bin = mkdtempSync(join(directory, 'bin-'));
    writeFileSync(join(bin, 'grep'), '#!/bin/sh\nsed "s/\\x00.*//" | /bin/grep "$@"\n');
    chmodSync(join(bin, 'grep'), 0o755);
    spawn('sleep', [tag], { detached: true, stdio: 'ignore', env: { PATH, TIDEGATE_KEEPER: `${gateId}.9` } });
    await within(2000, 'the child', () => findTagged(tag).length === 1);
    const reaper = spawn('/bin/sh', ['-c', shellReaper, 'tidegate-reaper', gateId, ''], {
      env: { PATH: `${bin}:${PATH}` },
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    reaper.stdin.end();
    await within(15_000, 'end of the child', () => findTagged(tag).length === 0);
  });
});
