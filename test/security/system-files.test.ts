import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPlace, type Place } from '../support/gate.js';
import { hasProc } from '../support/proc.js';
import { openStdioAgent, type StdioAgent } from '../support/stdio-agent.js';

const canary = 'canary-of-another-process-7741';

/** The whole disk is the workspace: processes, devices and the kernel are no part of it. */
describe.skipIf(!hasProc)('file tools with the root /', () => {
  let place: Place;
  let agent: StdioAgent;
  let other: ChildProcess;
  let pid = 0;
  const inWorkspace = (name: string): string => join(place.directory, 'workspace', name);

  beforeAll(async () => {
    other = spawn('sleep', ['600'], { env: { PATH: process.env['PATH'], CANARY: canary } });
    pid = other.pid ?? 0;
    place = openPlace({ builtins: ['Read', 'Grep', 'Glob', 'Write', 'Edit'], workspace: { roots: ['/'] } });
    writeFileSync(inWorkspace('plain.txt'), canary);
    symlinkSync(`/proc/${String(pid)}/environ`, inWorkspace('environ'));
    symlinkSync('/proc', inWorkspace('processes'));
    symlinkSync('/proc/self/root', inWorkspace('again'));
    agent = await openStdioAgent(place);
  });
  afterAll(async () => {
    await agent.close();
    other.kill('SIGKILL');
    place.close();
  });

  const ways = (): readonly string[] => [
    `/proc/${String(pid)}/environ`,
    `/proc/${String(pid)}/task/${String(pid)}/environ`,
    `/proc/self/root/proc/${String(pid)}/environ`,
    inWorkspace('environ'),
    inWorkspace(`processes/${String(pid)}/environ`),
    inWorkspace(`again/proc/${String(pid)}/environ`),
    `/proc/../proc/${String(pid)}/environ`,
  ];

  it('[15.1] cannot read the environment of any process, under any name', async () => {
    // The control: it is there for everyone of this user, and other files of the root are read.
    expect(readFileSync(`/proc/${String(pid)}/environ`, 'utf8')).toContain(canary);
    expect((await agent.call('Read', { file_path: inWorkspace('plain.txt') })).text).toContain(canary);
    expect((await agent.call('Read', { file_path: '/etc/hostname' })).isError).toBe(false);
    for (const path of ways()) {
      for (const answer of [
        await agent.call('Read', { file_path: path }),
        await agent.call('Grep', { pattern: 'CANARY', path, output_mode: 'content' }),
      ]) {
        expect([path, answer.isError]).toEqual([path, true]);
        expect(answer.text).not.toContain(canary);
      }
    }
  });

  it.each([
    '/proc/self/mem',
    '/proc/self/maps',
    '/proc/1/cmdline',
    '/proc/self/fd/0',
    '/dev/null',
    '/dev/stdin',
    '/sys/kernel/uevent_seqnum',
    '/proc/version',
  ])('[15.1] cannot read %s', async (path) => {
    expect((await agent.call('Read', { file_path: path })).isError).toBe(true);
    expect((await agent.call('Grep', { pattern: '.', path })).isError).toBe(true);
    const written = await agent.call('Write', { file_path: path, content: 'x' });
    expect(written.isError).toBe(true);
  });

  it('[15.1] find nothing of them from above', async () => {
    const listed = await agent.call('Glob', { pattern: '{proc,sys,dev}/*', path: '/' });
    expect(listed.text).not.toMatch(/\b(?:proc|sys|dev)\/\w/);
    const here = await agent.call('Glob', { pattern: '*.txt', path: join(place.directory, 'workspace') });
    expect(here.text).toContain('plain.txt');
    for (const path of ['/proc', '/sys', '/dev', '/proc/self', `/proc/${String(pid)}`])
      expect([path, (await agent.call('Glob', { pattern: '*', path })).isError]).toEqual([path, true]);
  });

  it('[15.1] control: work in a workspace below /dev/shm', async () => {
    const shared = openPlace({ builtins: ['Read'], workspace: { roots: ['/dev/shm'] } });
    const folder = `/dev/shm/tidegate-${String(process.pid)}`;
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.txt'), 'hello');
    const reader = await openStdioAgent(shared);
    expect((await reader.call('Read', { file_path: join(folder, 'a.txt') })).text).toContain('hello');
    await reader.close();
    shared.close();
  });
});
