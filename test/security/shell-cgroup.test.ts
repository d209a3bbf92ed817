import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findHierarchies } from '../../src/services/shell/cgroup-hierarchies.js';
import {
  createTag,
  endTagged,
  findSleeping,
  findTagged,
} from '../../src/services/processes/tagged.fixture.js';
import { endProcess, openPlace, program, waitFor } from '../support/gate.js';
import { openLineClient } from '../support/line-client.js';
import { hasProc } from '../support/proc.js';

const hasBubblewrap =
  hasProc && spawnSync('/usr/bin/bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;
const hierarchies = findHierarchies();
const parents = hierarchies.map(({ parent }) => parent);
const hasCgroup = hierarchies.some(({ controllers }) => controllers.includes('memory'));
const isRoot = process.getuid?.() === 0;

interface Result {
  readonly stdout: string;
  readonly sandbox: string;
  readonly exceeded_limit?: string;
}

/** `isHidden`: the gateway sees no cgroup, as on most machines. */
async function open(limits: object, isHidden = false) {
  const place = openPlace({ builtins: ['Bash'], shell: { limits } });
  const line = [process.execPath, program, 'mcp', '--config', place.configFile];
  const hide = ['unshare', '-m', 'sh', '-c', 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"', 'sh'];
  const [command = '', ...args] = isHidden ? [...hide, ...line] : line;
  const cwd = join(place.directory, 'workspace');
  const client = openLineClient(
    spawn(command, args, { cwd, env: place.env, stdio: ['pipe', 'pipe', 'pipe'] }),
  );
  await client.initialize();
  onTestFinished(async () => {
    await endProcess(client.child);
    place.close();
  });
  const bash = async (text: string): Promise<Result> => {
    const { message } = await client.request(
      'tools/call',
      { name: 'Bash', arguments: { command: text } },
      100_000,
    );
    return (message.result as unknown as { readonly structuredContent: Result }).structuredContent;
  };
  return { bash, client, place };
}

/** The cgroups that this gateway made and that are still there. */
function groupsOf(pid: number | undefined): readonly string[] {
  return parents.flatMap((parent) =>
    readdirSync(parent)
      .filter((name) => name.startsWith(`tidegate.${String(pid)}-`))
      .map((name) => join(parent, name)),
  );
}

/** The files of a memory file system belong to no process, so no look at processes finds them. */
const fill = 'head -c 400M /dev/zero >/dev/shm/much; echo wrote; ls -s /dev/shm/much';
const limits = { memory: 300, processes: 20 };

describe.skipIf(!hasBubblewrap || !hasCgroup)(
  '[15.13] a command with a cgroup (skipped: none writable)',
  () => {
    it('is in it from its first process on, and leaves none behind', async () => {
      const { bash, client } = await open(limits);
      const tag = createTag();
      onTestFinished(() => endTagged(tag));
      const running = bash(`sleep ${tag} & echo $! ; wait`);
      // The programs that start the command carry the tag too, and enter the cgroup only then.
      await waitFor(
        () => findSleeping(tag).length > 0,
        60_000,
        () => 'no sleep',
      );
      const [pid] = findSleeping(tag);
      expect(readFileSync(`/proc/${String(pid)}/cgroup`, 'utf8')).toContain(
        `/tidegate.${String(client.child.pid)}-`,
      );
      expect(groupsOf(client.child.pid).length).toBeGreaterThan(0);
      endTagged(tag);
      await running;
      expect(groupsOf(client.child.pid)).toEqual([]);
    });

    it('uses no more memory than its limit, including files in memory', async () => {
      const { bash } = await open(limits);
      const { exceeded_limit, sandbox } = await bash(fill);
      expect(sandbox).toBe('bubblewrap');
      expect(exceeded_limit).toContain('shell.limits.memory');
    });

    it('starts no more threads than its limit allows, however fast', async () => {
      const { bash } = await open(limits);
      const { exceeded_limit } = await bash(
        `python3 -c 'import threading, time
for i in range(400): threading.Thread(target=time.sleep, args=(1000,)).start()'; sleep 1000`,
      );
      expect(exceeded_limit).toContain('shell.limits.processes');
    });

    it('cannot leave it', async () => {
      const { bash } = await open(limits);
      const leave = parents.map((parent) => `echo $$ >${parent}/cgroup.procs && echo LEFT`).join('\n');
      const { stdout } = await bash(`${leave}\ntrue`);
      expect(stdout).not.toContain('LEFT');
    });

    it('leaves no cgroup when the gateway is killed', async () => {
      const { bash, client } = await open(limits);
      const tag = createTag();
      onTestFinished(() => endTagged(tag));
      void bash(`sleep ${tag}`).catch(() => undefined);
      await waitFor(
        () => findTagged(tag).length > 0,
        60_000,
        () => 'no sleep',
      );
      const groups = groupsOf(client.child.pid);
      expect(groups.length).toBeGreaterThan(0);
      client.child.kill('SIGKILL');
      await waitFor(
        () => groups.every((group) => !existsSync(group)),
        60_000,
        () => groupsOf(client.child.pid).join(),
      );
      expect(findTagged(tag)).toEqual([]);
    });

    it.skipIf(!isRoot)('control: uses more memory if the gateway cannot create a cgroup', async () => {
      const { bash } = await open(limits, true);
      const { exceeded_limit, stdout } = await bash(fill);
      expect(exceeded_limit).toBeUndefined();
      expect(stdout).toContain('wrote');
      expect(Number(/^(\d+) /m.exec(stdout)?.[1])).toBeGreaterThan(390 * 1024);
    });
  },
);
