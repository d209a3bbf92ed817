// What the gateway was started with stays with the gateway: no child finds it in /proc.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endProcess, openHttpGate, spawnStdioGate, waitFor } from '../support/gate.js';
import { openLineClient } from '../support/line-client.js';
import { openPluginPlace, type PluginPlace } from '../support/plugin-place.js';
import { hasProc } from '../support/proc.js';
import { runGate } from '../support/run-program.js';

const used = 'canary-used-5d41402a';
const unused = 'canary-unused-7d793037';

interface Seen {
  readonly parent: string;
  readonly neighbour: string;
  readonly given?: string;
}

/** Reads what the parent and a neighbour of the same user were started with, and writes it down. */
const probe = (file: string, neighbour: number): string => `
(() => {
  const fs = process.getBuiltinModule?.('fs') ?? require('fs');
  const read = (pid) => fs.readFileSync('/proc/' + pid + '/environ', 'latin1');
  const seen = { parent: read(process.ppid), neighbour: read(${String(neighbour)}), given: process.env.GIVEN };
  fs.writeFileSync(${JSON.stringify(`${file}.part`)}, JSON.stringify(seen));
  fs.renameSync(${JSON.stringify(`${file}.part`)}, ${JSON.stringify(file)});
})();
`;

describe.skipIf(!hasProc)('[15.40] the environment of the gateway', () => {
  let place: PluginPlace;
  let neighbour: ChildProcess;
  const seenBy = (child: string): Seen => JSON.parse(readFileSync(fileOf(child), 'utf8')) as Seen;
  const fileOf = (child: string): string => join(place.directory, `seen-by-${child}.json`);
  const env = (): Record<string, string> => ({ ...place.env, USED_KEY: used, UNUSED_KEY: unused });

  beforeAll(async () => {
    // Nothing hides the environment of this one.
    neighbour = spawn('sleep', ['600'], {
      env: { UNUSED_KEY: unused, PATH: '/usr/bin:/bin' },
      stdio: 'ignore',
    });
    await new Promise((resolve) => neighbour.once('spawn', resolve));
    place = openPluginPlace({}, { log: { level: 'error' } });
    place.addPeer('probe', { before: probe(fileOf('plugin'), neighbour.pid ?? 0) });
    place.trustPlugins();
    const server = join(place.directory, 'server.cjs');
    writeFileSync(server, `${probe(fileOf('server'), neighbour.pid ?? 0)}process.stdin.resume();`);
    const entry = { command: process.execPath, args: [server], env: { GIVEN: '${USED_KEY}' } };
    place.write({ log: { level: 'error' }, servers: { probe: entry } });
    const { status, stderr } = await runGate(place, ['trust', '--yes', place.configFile], { env: env() });
    expect([status, stderr]).toEqual([0, expect.any(String)]);
  });
  afterAll(() => {
    neighbour.kill('SIGKILL');
    place.close();
  });

  /** A file that was read without the canary; the same attack on a process that hides nothing finds it. */
  function expectHidden(seen: Seen): void {
    expect(seen.parent).toContain('PATH=');
    expect(seen.parent).not.toMatch(/canary|USED_KEY/);
    expect(seen.neighbour).toContain(unused);
  }

  it('cannot be read by a plugin in /proc/<ppid>/environ; control: that of a neighbor can', async () => {
    const ran = await runGate(place, ['plugin', 'show', 'probe', '--json'], { env: env() });
    expect(ran).toMatchObject({ status: 0 });
    expectHidden(seenBy('plugin'));
  });

  it.each(['mcp', 'serve'] as const)(
    'cannot be read by a server started by `%s`, which still gets the configured variables',
    async (command) => {
      rmSync(fileOf('server'), { force: true });
      const other = { ...place, env: env() };
      const child = command === 'mcp' ? spawnStdioGate(other) : (await openHttpGate(other)).child;
      try {
        if (command === 'mcp') await openLineClient(child).initialize();
        await waitFor(
          () => existsSync(fileOf('server')),
          60_000,
          () => 'the server never started',
        );
      } finally {
        await endProcess(child);
      }
      expectHidden(seenBy('server'));
      expect(seenBy('server').given).toBe(used);
    },
  );

  it('is still available to the gateway, and doctor reports it as hidden', async () => {
    const { stdout } = await runGate(place, ['doctor', '--only', 'environment', '--json'], { env: env() });
    expect(JSON.parse(stdout)).toMatchObject({ checks: [{ id: 'environment', state: 'ok' }] });
  });
});
