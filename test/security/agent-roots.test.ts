import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openPlace, type Place } from '../support/gate.js';
import { runGate } from '../support/run-program.js';

describe('a program named like an agent, in a workspace root next to the working directory', () => {
  let place: Place;
  afterEach(() => place.close());

  /** The commands that look for an agent, with a program on PATH that leaves a mark. */
  const isStarted = async (roots: readonly string[], folder: string): Promise<boolean> => {
    place = openPlace({ workspace: { roots } });
    const bin = join(place.directory, folder);
    const mark = join(place.directory, 'started');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\ntouch ${mark}\nexit 1\n`);
    chmodSync(join(bin, 'claude'), 0o755);
    const env = { ...place.env, PATH: `${bin}:/usr/bin:/bin` };
    const run = ['run', '--agent', 'claude', '--prompt', 'Say hi.', '--tools', 'Read'];
    for (const args of [run, ['doctor', '--agent', 'claude'], ['doctor']])
      await runGate(place, args, { env, limitMs: 60_000 });
    return existsSync(mark);
  };

  it('[15.36] is not started by any command', async () => {
    expect(await isStarted(['.', '../other'], 'other/bin')).toBe(false);
  });

  it('[15.36] control: is started if the folder is not a root', async () => {
    expect(await isStarted(['.'], 'other/bin')).toBe(true);
  });
});
