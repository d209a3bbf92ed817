import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChildProcess, Processes, ProcessExit } from '../../ports/processes.js';
import { openProcesses } from './processes.js';
import { createTag, endTagged, findReaper, findTagged, hardTrees, pause, within } from './tagged.fixture.js';

const PATH = '/usr/bin:/bin';

describe.skipIf(process.platform !== 'linux')('processes', () => {
  let stateDir: string;
  let processes: Processes;
  let tag: string;
  const lines: string[] = [];

  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'tidegate-processes-'));
    lines.length = 0;
    tag = createTag();
    processes = openProcesses({ stateDir, log: (line) => lines.push(line) });
  });
  afterEach(async () => {
    await processes.close();
    await within(5000, 'end of all children', () => findTagged(tag).length === 0);
    await within(5000, 'end of the lease', () => !hasLease());
    // The next test must not find the reaper of this one.
    await within(5000, 'end of the reaper', () => findReaper(process.pid) === undefined);
    rmSync(stateDir, { recursive: true, force: true });
  });

  const hasLease = () =>
    readdirSync(stateDir).includes('leases') && readdirSync(join(stateDir, 'leases')).length > 0;
  const shell = (script: string, env: Readonly<Record<string, string>> = { PATH }) =>
    processes.start({ owner: 'test', command: '/bin/sh', args: ['-c', script], cwd: '/', env });

  it('gives a child exactly the requested environment, and the mark', async () => {
    const child = await shell('exec env', { PATH, GREETING: 'good day' });
    const { output } = await collect(child);
    const names = output
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names.filter((name) => name !== 'PWD').sort()).toEqual(['GREETING', 'PATH', 'TIDEGATE_KEEPER']);
    expect(output).toContain('GREETING=good day\n');
  });

  it('passes on stdin, stdout, stderr and the exit code', async () => {
    const child = await shell('read -r line; echo "out $line"; echo "err $line" >&2; exit 7');
    expect(child.write('hé\n')).toBe(true);
    const seen = await collect(child);
    expect(seen).toEqual({ output: 'out hé\n', errors: 'err hé\n', exit: { code: 7, signal: null } });
  });

  it('keeps the first output on stderr for a late listener', async () => {
    const child = await shell('echo "cannot start" >&2; read -r line');
    await pause(200);
    const chunks: Uint8Array[] = [];
    child.onErrorOutput((chunk) => chunks.push(chunk));
    expect(Buffer.concat(chunks).toString()).toBe('cannot start\n');
    await child.close();
  });

  it('reports a past exit to a late listener', async () => {
    const child = await shell('exit 3');
    await collect(child);
    expect(await exitOf(child)).toEqual({ code: 3, signal: null });
  });

  it('reports the exit even if a grandchild holds the pipes, and ends the grandchild', async () => {
    const child = await shell(`setsid sleep ${tag} & sleep ${tag} & echo done`);
    const begin = performance.now();
    const { output, exit } = await collect(child);
    expect(performance.now() - begin).toBeLessThan(10_000);
    expect([output, exit.code]).toEqual(['done\n', 0]);
    await within(4000, 'end of grandchildren', () => findTagged(tag).length === 0);
  });

  it('close ends each whole tree: background, TERM ignored, setsid, double fork, no environment', async () => {
    const trees = hardTrees(tag);
    const children = await Promise.all(trees.map((script) => shell(script)));
    await pause(200);
    expect(findTagged(tag).length).toBeGreaterThan(trees.length);
    const begin = performance.now();
    await Promise.all(children.flatMap((child) => [child.close(), child.close()]));
    expect(findTagged(tag)).toEqual([]);
    expect(performance.now() - begin).toBeLessThan(10_000);
  });

  it('close finds a grandchild that left the group and cleared its environment, while it is attached', async () => {
    const child = await shell(`env -i setsid sleep ${tag} & wait`);
    await within(2000, 'the grandchild', () => findTagged(tag).length > 1);
    await child.close();
    expect(findTagged(tag)).toEqual([]);
  });

  it('close of one child does not affect the others', async () => {
    const [first, second] = [await shell(`sleep ${tag}`), await shell('read -r line; echo "still $line"')];
    await first.close();
    second.write('here\n');
    expect((await collect(second)).output).toBe('still here\n');
  });

  it('lets a child exit when its stdin ends', async () => {
    const child = await shell('while read -r line; do :; done; echo bye; exit 5');
    const seen = collect(child);
    await child.close();
    expect(await seen).toEqual({ output: 'bye\n', errors: '', exit: { code: 5, signal: null } });
  });

  it('reports when the pipe is full and when there is room again', async () => {
    const child = await shell('sleep 0.3; exec cat >/dev/null');
    const drained = new Promise<void>((resolve) => child.onDrain(resolve));
    expect(child.write('x'.repeat(1 << 20))).toBe(false);
    await drained;
    expect(child.write('y')).toBe(true);
    await child.close();
  });

  it('survives a child that closes its stdin, and notifies waiting writers', async () => {
    const child = await shell(`sleep 0.2; exec 0<&-; exec sleep ${tag}`);
    const woken = new Promise<void>((resolve) => child.onDrain(resolve));
    expect(child.write('x'.repeat(1 << 20))).toBe(false);
    await woken;
    expect(child.write('into the void')).toBe(true);
    await child.close();
    expect(child.write('after the end')).toBe(true);
  });

  it('stops a flood while paused, and drops nothing', async () => {
    const child = await shell('head -c 3000000 /dev/zero; exit 0');
    let bytes = 0;
    child.onOutput((chunk) => {
      bytes += chunk.length;
    });
    child.pauseOutput();
    await pause(300);
    expect(bytes).toBe(0);
    child.resumeOutput();
    await exitOf(child);
    expect(bytes).toBe(3_000_000);
  });

  it('delivers what was written before the exit, even when paused', async () => {
    const child = await shell('head -c 60000 /dev/zero');
    let bytes = 0;
    child.onOutput((chunk) => {
      bytes += chunk.length;
    });
    child.pauseOutput();
    await exitOf(child);
    expect(bytes).toBe(60_000);
  });

  it('reads stderr without a listener, so that its pipe never fills', async () => {
    const child = await shell('head -c 3000000 /dev/zero >&2; echo through');
    const chunks: Uint8Array[] = [];
    child.onOutput((chunk) => chunks.push(chunk));
    expect(await exitOf(child)).toEqual({ code: 0, signal: null });
    expect(Buffer.concat(chunks).toString()).toBe('through\n');
  });

  it('explains a command, a directory or a file that cannot be started', async () => {
    const order = { owner: 'weather', command: 'no-such-command', args: [], cwd: '/', env: { PATH } };
    await expect(processes.start(order)).rejects.toThrow(
      'Cannot start "no-such-command" for weather: command not found; check that it is installed',
    );
    await expect(processes.start({ ...order, env: {} })).rejects.toThrow('sets no PATH');
    await expect(processes.start({ ...order, command: '/no/such' })).rejects.toThrow('there is no such file');
    await expect(processes.start({ ...order, command: 'sh', cwd: '/no/dir' })).rejects.toThrow(
      'does not exist',
    );
    const plain = join(stateDir, 'plain');
    writeFileSync(plain, 'text', { mode: 0o600 });
    await expect(processes.start({ ...order, command: plain })).rejects.toThrow('marked executable');
    await expect(processes.start({ ...order, args: ['a\0b'] })).rejects.toThrow(
      'Cannot start "no-such-command"',
    );
  });

  it('opens no file in a child except its three pipes, so that none can block the reaper', async () => {
    await shell('read -r line');
    const child = await shell('exec ls /proc/self/fd');
    const bare = spawnSync('ls', ['/proc/self/fd'], { encoding: 'utf8' });
    expect((await collect(child)).output).toBe(bare.stdout);
  });

  it('closes stdin of a child without input at once, and opens a pipe for notes on request', async () => {
    const order = { owner: 'test', command: '/bin/sh', cwd: '/', env: { PATH } };
    const args = ['-c', 'read -r line; echo "read $?"; echo note >&3; readlink /proc/self/fd/0'];
    const child = await processes.start({ ...order, args, input: 'none', hasNotes: true });
    const notes: Uint8Array[] = [];
    child.onNotes((chunk) => notes.push(chunk));
    expect(child.write('nobody reads this')).toBe(true);
    expect((await collect(child)).output).toBe('read 1\n/dev/null\n');
    expect(Buffer.concat(notes).toString()).toBe('note\n');
  });

  it('gives a child system pipes on request, which it can reopen, and keeps none of them', async () => {
    const order = { owner: 'test', command: '/bin/sh', cwd: '/', env: { PATH }, hasSystemPipes: true };
    const own = () => readdirSync('/proc/self/fd').length;
    const texts: string[] = [];
    let before = 0;
    for (let count = 0; count < 12; count += 1) {
      const child = await processes.start({
        ...order,
        args: ['-c', 'echo out >/dev/stdout; echo err >/dev/stderr'],
      });
      const chunks: Buffer[] = [];
      // A chunk is valid only now.
      child.onOutput((chunk) => chunks.push(Buffer.from(chunk)));
      child.onErrorOutput((chunk) => chunks.push(Buffer.from(chunk)));
      await exitOf(child);
      texts.push(Buffer.concat(chunks).toString());
      if (count === 3) before = own();
    }
    expect(texts).toEqual(texts.map(() => 'out\nerr\n'));
    expect(own()).toBeLessThanOrEqual(before + 16);
    await expect(processes.start({ ...order, command: '/no/such', args: [] })).rejects.toThrow(
      'no such file',
    );
    await processes.close();
    await within(2000, 'end of the pipes', () => fifosOf(process.pid) === 0);
    expect(readdirSync(stateDir).filter((name) => name.startsWith('pipes-'))).toEqual([]);
  });

  it('stops a flood through such a pipe while paused, and drops nothing', async () => {
    const order = { owner: 'test', command: '/bin/sh', cwd: '/', env: { PATH }, hasSystemPipes: true };
    const child = await processes.start({ ...order, args: ['-c', 'head -c 3000000 /dev/zero; exit 0'] });
    let bytes = 0;
    let isFirst = true;
    child.onOutput((chunk) => {
      bytes += chunk.length;
      if (isFirst) child.pauseOutput();
      isFirst = false;
    });
    await pause(300);
    expect(bytes).toBeLessThan(200_000);
    child.resumeOutput();
    expect(await exitOf(child)).toEqual({ code: 0, signal: null });
    expect(bytes).toBe(3_000_000);
  });

  it('reports how many descendants a child left behind', async () => {
    const quick = { afterInputMs: 0, afterTermMs: 200 };
    const order = { owner: 'test', command: '/bin/sh', cwd: '/', env: { PATH }, patience: quick };
    const script = `sleep ${tag} & setsid sleep ${tag} & nohup sleep ${tag} >/dev/null 2>&1 & exit 0`;
    const child = await processes.start({ ...order, args: ['-c', script] });
    await exitOf(child);
    expect(await child.close()).toEqual({ isGone: true, ended: 3 });
    const calm = await processes.start({ ...order, args: ['-c', 'exit 0'] });
    await exitOf(calm);
    expect(await calm.close()).toEqual({ isGone: true, ended: 0 });
  });

  it('pauses the flood on stderr too', async () => {
    const child = await shell('head -c 3000000 /dev/zero >&2; exit 0');
    let bytes = 0;
    child.pauseErrorOutput();
    child.onErrorOutput((chunk) => {
      bytes += chunk.length;
    });
    await pause(300);
    expect(bytes).toBeLessThan(1_000_000);
    child.resumeErrorOutput();
    await exitOf(child);
    expect(bytes).toBe(3_000_000);
  });

  it('finds descendants of a child that exits immediately, every time', async () => {
    for (let round = 0; round < 20; round += 1) {
      const child = await shell(`setsid -f sleep ${tag} </dev/null >/dev/null 2>&1; :`);
      await new Promise((resolve) => child.onExit(resolve));
      expect(await child.close()).toMatchObject({ isGone: true });
      expect(findTagged(tag)).toEqual([]);
    }
  });

  it('passes arguments unchanged, without a shell', async () => {
    const args = ['%s|', '$(touch /tmp/never)', '; exit 9', '"quo\'ted"', '*'];
    const child = await processes.start({ owner: 'test', command: 'printf', args, cwd: '/', env: { PATH } });
    expect((await collect(child)).output).toBe(`$(touch /tmp/never)|; exit 9|"quo'ted"|*|`);
  });

  it('starts nothing before the first child, then one lease and one reaper', async () => {
    expect([hasLease(), findReaper(process.pid)]).toEqual([false, undefined]);
    const child = await shell('read -r line');
    expect(hasLease()).toBe(true);
    expect(findReaper(process.pid)).toBeDefined();
    await child.close();
    await processes.close();
    expect(hasLease()).toBe(false);
    await within(2000, 'end of the reaper', () => findReaper(process.pid) === undefined);
  });

  it('replaces a killed reaper with one that knows the children of the first', async () => {
    await shell(`env -i sleep ${tag} & exec env -i sleep ${tag}`);
    const first = reaperPid();
    process.kill(first, 'SIGTERM');
    process.kill(first, 'SIGINT');
    process.kill(first, 'SIGHUP');
    await pause(100);
    expect(reaperPid()).toBe(first);
    process.kill(first, 'SIGKILL');
    await within(3000, 'another reaper', () => ![undefined, first].includes(findReaper(process.pid)));
    expect(lines.join()).toContain('starting another one');
    await processes.close();
    await within(5000, 'end of all', () => findTagged(tag).length === 0);
  });

  it('close returns at once and leaves the rest to the reaper; nothing starts afterwards', async () => {
    for (const script of hardTrees(tag)) await shell(script);
    const begin = performance.now();
    await processes.close();
    expect(performance.now() - begin).toBeLessThan(2_000);
    await expect(shell('exit 0')).rejects.toThrow('the gateway is closing');
    await within(5000, 'end of all', () => findTagged(tag).length === 0);
  });

  it('refuses more children than the limit', async () => {
    const calm = () => shell('read -r line');
    for (let count = 0; count < 256; count += 1) await calm();
    await expect(calm()).rejects.toThrow('256 processes are already running');
  }, 30_000);

  it('control: a bare spawn with a signal to the group leaves the setsid grandchild', async () => {
    const bare = spawn('/bin/sh', ['-c', `setsid sleep ${tag} & wait`], { detached: true, stdio: 'ignore' });
    // Time for setsid to leave the group.
    await pause(300);
    expect(findTagged(tag)).toHaveLength(2);
    process.kill(-(bare.pid ?? 0), 'SIGKILL');
    await pause(500);
    expect(findTagged(tag)).toHaveLength(1);
    endTagged(tag);
  });
});

function reaperPid(): number {
  const pid = findReaper(process.pid);
  if (pid === undefined) throw new Error('no reaper runs');
  return pid;
}

function fifosOf(pid: number): number {
  const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target.includes('/pipes-')).length;
}

function exitOf(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((resolve) => child.onExit(resolve));
}

async function collect(child: ChildProcess) {
  const output: Uint8Array[] = [];
  const errors: Uint8Array[] = [];
  child.onOutput((chunk) => output.push(chunk));
  child.onErrorOutput((chunk) => errors.push(chunk));
  const exit = await exitOf(child);
  return { output: Buffer.concat(output).toString(), errors: Buffer.concat(errors).toString(), exit };
}
