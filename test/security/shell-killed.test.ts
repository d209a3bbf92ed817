import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTag, endTagged, findTagged } from '../../src/services/processes/tagged.fixture.js';
import { findReaper } from '../support/exiting-gate.js';
import { endProcess, openPlace, spawnStdioGate, waitFor } from '../support/gate.js';
import { openLineClient } from '../support/line-client.js';
import { hasProc } from '../support/proc.js';

const hasBubblewrap =
  hasProc && spawnSync('/usr/bin/bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

/** A gateway in whose sandbox a command runs, and what is in its workspace. */
async function openBusy() {
  const place = openPlace({ builtins: ['Bash'] });
  const client = openLineClient(spawnStdioGate(place));
  const tag = createTag();
  onTestFinished(async () => {
    endTagged(tag);
    await endProcess(client.child);
    place.close();
  });
  await client.initialize();
  const names = (): readonly string[] => readdirSync(join(place.directory, 'workspace')).sort();
  const before = names();
  client
    .request('tools/call', { name: 'Bash', arguments: { command: `sleep ${tag}` } })
    .catch(() => undefined);
  await waitFor(
    () => findTagged(tag).length > 0,
    60_000,
    () => 'the command did not start',
  );
  // They are there while it runs.
  expect(names().length).toBeGreaterThan(before.length + 5);
  return { place, client, tag, names, before };
}

describe.skipIf(!hasBubblewrap)('[16.24] kill -9 of a gateway during a command', () => {
  it('leaves no placeholder in the workspace', async () => {
    const { client, tag, names, before } = await openBusy();
    client.child.kill('SIGKILL');
    await waitFor(
      () => names().length === before.length,
      60_000,
      () => names().join(),
    );
    expect(names()).toEqual(before);
    expect(findTagged(tag)).toEqual([]);
  });

  it('control: without the reaper they stay, doctor names them, and the next start removes them', async () => {
    const { client, place, tag, names, before } = await openBusy();
    // The name of the folder is in the arguments of its reaper, and of no other.
    const reaper = findReaper(basename(place.directory));
    if (reaper === undefined) throw new Error('no reaper runs');
    // A frozen gateway cannot start another reaper.
    client.child.kill('SIGSTOP');
    process.kill(reaper, 'SIGKILL');
    client.child.kill('SIGKILL');
    await waitFor(
      () => client.child.signalCode !== null,
      60_000,
      () => 'it lives',
    );
    endTagged(tag);
    expect(names().length).toBeGreaterThan(before.length + 5);
    const { stdout } = place.run('doctor', '--only', 'home.leftovers');
    expect(stdout).toContain(join(place.directory, 'workspace', '.claude'));
    const next = openLineClient(spawnStdioGate(place));
    onTestFinished(() => endProcess(next.child));
    await next.initialize();
    await waitFor(
      () => names().length === before.length,
      60_000,
      () => names().join(),
    );
    expect(names()).toEqual(before);
  });
});
