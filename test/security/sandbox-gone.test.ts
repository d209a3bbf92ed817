import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openPlace, type Place } from '../support/gate.js';
import { hasProc } from '../support/proc.js';
import { openStdioAgent } from '../support/stdio-agent.js';

const hasBubblewrap =
  hasProc && spawnSync('/usr/bin/bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

// A command can use up what a sandbox needs: namespaces, processes, time. The next gateway then finds none that works.

describe.skipIf(!hasBubblewrap)('a sandbox that worked before but fails now', () => {
  let place: Place;
  afterEach(() => place.close());

  /** The sandbox that a command got, or the code of its refusal. */
  async function run(isBroken: boolean): Promise<unknown> {
    const bin = join(place.directory, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(
      join(bin, 'bwrap'),
      isBroken
        ? '#!/bin/sh\necho "bwrap: No space left on device" >&2; exit 1\n'
        : '#!/bin/sh\nexec /usr/bin/bwrap "$@"\n',
    );
    chmodSync(join(bin, 'bwrap'), 0o755);
    const env = { ...place.env, PATH: `${bin}:${place.env['PATH'] ?? ''}` };
    const agent = await openStdioAgent({ ...place, env });
    const { structured, isError } = await agent.call('Bash', { command: 'echo hi' });
    await agent.close();
    const { error } = structured as { readonly error?: { readonly details?: unknown } };
    return isError ? error : structured['sandbox'];
  }

  it('[15.13] stops commands instead of running them unsandboxed', async () => {
    place = openPlace({ builtins: ['Bash'] });
    expect(await run(false)).toBe('bubblewrap');
    expect(JSON.stringify(await run(true))).toContain('sandbox_broken');
    // The control: where none ever worked, commands of the operator run without one.
    rmSync(join(place.directory, 'home', 'state', 'shell'), { recursive: true });
    expect(await run(true)).toBe('none');
  });
});
