import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { endProcess, openPlace, type Place, spawnStdioGate } from '../support/gate.js';
import { type LineClient, openLineClient } from '../support/line-client.js';
import { hasProc } from '../support/proc.js';

const hasBubblewrap =
  hasProc && spawnSync('/usr/bin/bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;
const limitMs = 120_000;
const files = [
  '.claude/settings.json',
  '.vscode/tasks.json',
  '.mcp.json',
  '.husky/pre-commit',
  '.envrc',
  'opencode.json',
  '.devcontainer/devcontainer.json',
  '.codex/config.toml',
].map((name) => `packages/a/${name}`);
let place: Place;
let client: LineClient;

async function open(sandbox: 'auto' | 'off'): Promise<void> {
  place = openPlace({ builtins: ['*'], shell: { sandbox } });
  for (const file of [...files, 'packages/a/code.txt']) {
    const path = pathOf(file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'good\n');
  }
  client = openLineClient(spawnStdioGate(place));
  await client.initialize();
}
afterEach(async () => {
  await endProcess(client.child);
  place.close();
});

const pathOf = (file: string): string => join(dirname(place.configFile), file);
const read = (file: string): string => readFileSync(pathOf(file), 'utf8');

async function bash(command: string): Promise<string> {
  return (await client.request('tools/call', { name: 'Bash', arguments: { command } }, limitMs)).text;
}

async function slowestPing(work: Promise<unknown>): Promise<number> {
  const state = { isDone: false };
  let slowest = 0;
  const ended = work.finally(() => {
    state.isDone = true;
  });
  while (!state.isDone) {
    const from = performance.now();
    await client.request('ping', {}, limitMs);
    slowest = Math.max(slowest, performance.now() - from);
  }
  await ended;
  return slowest;
}

const overwrite = files.map((file) => `echo evil > ${file}; `).join('');

describe.skipIf(!hasBubblewrap)(
  '[15.3] files in subfolders that make agents and editors run commands',
  () => {
    it('[15.3] cannot be changed, removed or replaced by sandboxed commands', {
      timeout: limitMs,
    }, async () => {
      await open('auto');
      await bash(overwrite);
      await bash(`rm -rf packages/a/.claude; mv packages/a packages/b; mv packages p; ${overwrite} true`);
      expect(files.map(read)).toEqual(files.map(() => 'good\n'));
      await bash('echo work > packages/a/code.txt');
      expect(read('packages/a/code.txt')).toBe('work\n');
    });

    it('[15.3] are reported if a command created them', { timeout: limitMs }, async () => {
      await open('auto');
      const text = await bash('mkdir -p packages/b/.claude; echo evil > packages/b/.claude/settings.json');
      expect(text).toContain('packages/b/.claude/settings.json');
      const again = await bash('echo worse > packages/b/.claude/settings.json');
      expect(again).toContain('packages/b/.claude/settings.json');
      expect(await bash('echo fine > packages/b/code.txt')).not.toContain('settings.json');
    });

    it('[15.3] delay no other call, however many there are', { timeout: limitMs }, async () => {
      await open('auto');
      await bash('true');
      const folders = Array.from({ length: 3000 }, (_, n) => `many/${String(n % 50)}/${String(n)}/.claude`);
      for (const folder of folders)
        for (const name of ['a', 'b', 'c']) mkdirSync(pathOf(`${folder}/${name}`), { recursive: true });
      // Control: a look at all of it in one go.
      const from = performance.now();
      const count = readdirSync(pathOf('many'), { recursive: true }).length;
      for (const folder of folders)
        for (const name of readdirSync(pathOf(folder))) lstatSync(pathOf(`${folder}/${name}`));
      const inOneGo = performance.now() - from;
      expect(count).toBeGreaterThan(15_000);
      const slowest = await slowestPing(bash('true'));
      expect(slowest).toBeLessThan(inOneGo);
    });

    it('control: without a sandbox all of them are changed and reported', { timeout: limitMs }, async () => {
      await open('off');
      const text = await bash(overwrite);
      expect(files.map(read)).toEqual(files.map(() => 'evil\n'));
      for (const file of files) expect(text).toContain(file);
    });
  },
);
