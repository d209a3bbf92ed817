import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endProcess, openPlace, program, waitFor } from '../support/gate.js';
import { openLineClient } from '../support/line-client.js';
import { hasProc } from '../support/proc.js';

const isRoot = process.getuid?.() === 0;
const windowMs = 4000;
/** More than the gateway needs for itself, and less than a look at every process takes. */
const mostBusy = 0.25;

/** A gateway that sees no cgroup, as on most machines, so it has to count processes and memory by itself. */
async function open(limits: object) {
  const place = openPlace({ builtins: ['Bash'], shell: { limits } });
  const line = [process.execPath, program, 'mcp', '--config', place.configFile];
  const hide = ['unshare', '-m', 'sh', '-c', 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"', 'sh'];
  const [command = '', ...args] = isRoot ? [...hide, ...line] : line;
  const cwd = `${place.directory}/workspace`;
  const client = openLineClient(
    spawn(command, args, { cwd, env: place.env, stdio: ['pipe', 'pipe', 'pipe'] }),
  );
  await client.initialize();
  onTestFinished(async () => {
    await endProcess(client.child);
    place.close();
  });
  const bash = async (text: string): Promise<string> => {
    const params = { name: 'Bash', arguments: { command: text, timeout: 300_000 } };
    return JSON.stringify((await client.request('tools/call', params, 300_000)).message);
  };
  return { bash, pid: client.child.pid ?? 0, file: (name: string) => `${cwd}/${name}` };
}

/** The part of the next seconds for which the first thread of a process, which serves all callers, has work. */
async function busyPart(pid: number): Promise<number> {
  // Time on a processor, and time that it waits for one: other processes of the machine change neither sum much.
  const worked = (): number => {
    const text = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/schedstat`, 'latin1');
    const [running = 0, waiting = 0] = text.split(' ').map(Number);
    return (running + waiting) / 1e6;
  };
  const before = worked();
  const began = performance.now();
  await new Promise((resolve) => setTimeout(resolve, windowMs));
  return (worked() - before) / (performance.now() - began);
}

async function waitForFile(file: string): Promise<void> {
  const exists = (): boolean => {
    try {
      return readFileSync(file, 'utf8') !== '';
    } catch {
      return false;
    }
  };
  await waitFor(exists, 120_000, () => `no ${file}`);
}

const sleepers = (name: string): string =>
  `for i in $(seq 400); do sleep 200 & done; echo ready > ${name}; wait`;
/** Processes that share memory: each has all of it, and together they use it once. */
const sharers = (count: number, mib: number): string => `python3 - <<'P'
import mmap, os, time
size = ${String(mib)} << 20
m = mmap.mmap(-1, size)
def touch():
    for i in range(0, size, 4096): m[i] = 1
touch()
for k in range(${String(count)}):
    if os.fork() == 0:
        touch()
        time.sleep(200)
        os._exit(0)
time.sleep(5)
open("ready", "w").write("ready")
time.sleep(200)
P`;

describe.skipIf(!hasProc)('[15.13] checking the limits of commands', () => {
  it('does not block the gateway if commands have many processes', async () => {
    const { bash, pid, file } = await open({});
    for (const name of ['a', 'b', 'c', 'd']) void bash(sleepers(name)).catch(() => '');
    for (const name of ['a', 'b', 'c', 'd']) await waitForFile(file(name));
    expect(await busyPart(pid)).toBeLessThan(mostBusy);
  });

  it('does not block the gateway if many processes share memory, and lets them run', async () => {
    const { bash, pid, file } = await open({ memory: 400 });
    let answer = '';
    void bash(sharers(60, 100)).then(
      (text) => (answer = text),
      () => '',
    );
    await waitForFile(file('ready'));
    expect(await busyPart(pid)).toBeLessThan(mostBusy);
    expect(answer).toBe('');
  });

  it('still ends a command that uses too much memory next to such a command', async () => {
    const { bash, file } = await open({ memory: 400 });
    void bash(sharers(60, 100)).catch(() => '');
    await waitForFile(file('ready'));
    const hog = `python3 -c 'import time; kept = [bytearray(b"x" * (500 << 20))]; time.sleep(100)'`;
    expect(await bash(hog)).toContain('shell.limits.memory');
  });

  it('control: the same measurement detects a process that checks all processes for each command', async () => {
    const { bash, file } = await open({});
    for (const name of ['a', 'b', 'c', 'd']) void bash(sleepers(name)).catch(() => '');
    for (const name of ['a', 'b', 'c', 'd']) await waitForFile(file(name));
    const script = `
      const { readdirSync, readFileSync } = require('node:fs');
      const look = () => {
        for (const pid of readdirSync('/proc')) try { readFileSync('/proc/' + pid + '/stat') } catch {}
      };
      for (let i = 0; i < 4; i += 1) setInterval(look, 250);`;
    const child = spawn(process.execPath, ['-e', script]);
    onTestFinished(() => endProcess(child));
    expect(await busyPart(child.pid ?? 0)).toBeGreaterThan(mostBusy);
  });
});
