/** The sandbox mounts by name. A command of another gateway can replace a folder with a link at that moment. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openOwnPlace, type OwnPlace } from '../support/own-place.js';
import { hasProc } from '../support/proc.js';
import { openStdioAgent } from '../support/stdio-agent.js';

const bwrap = '/usr/bin/bwrap';
const hasBubblewrap =
  hasProc && spawnSync(bwrap, ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

/**
 * Swaps as the command of another gateway would, but always at the worst moment: right before the mounts. The victim
 * has everything that is mounted below the folder, so no other mount fails.
 */
const swap = `
if [ -e "$0.order" ]; then
  read -r folder victim link <"$0.order"
  rm "$0.order"
  mv "$folder" "$folder.old" && cp -a "$folder.old/." "$victim/" && ln -s "$link" "$folder"
fi
`;

interface Race {
  readonly place: OwnPlace;
  readonly folder: string;
  /** A folder outside the workspace. */
  readonly victim: string;
  /** Replaces the folder when the next sandbox is set up. */
  swapNext(): void;
}

/** `name`: the folder to replace, relative to the folder around the workspace. */
async function openRace(name: string): Promise<Race> {
  const bin = mkdtempSync('/var/tmp/tidegate-bwrap-');
  onTestFinished(() => rmSync(bin, { recursive: true, force: true }));
  writeFileSync(join(bin, 'bwrap'), `#!/bin/sh\n${swap}\nexec ${bwrap} "$@"\n`);
  chmodSync(join(bin, 'bwrap'), 0o755);
  const place = await openOwnPlace({
    state: 'outside',
    config: { builtins: ['*'], access: { default_profile: 'full' } },
    files: { 'pkg/.mcp.json': '{}' },
    env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` },
  });
  onTestFinished(() => place.close());
  const folder = join(place.directory, name);
  const victim = join(place.directory, 'victim');
  return {
    place,
    folder,
    victim,
    swapNext() {
      mkdirSync(victim);
      writeFileSync(join(victim, 'secret'), 'the-secret');
      // Relative, so that it leads to the same folder before and after the root of the sandbox changes.
      writeFileSync(join(bin, 'bwrap.order'), `${folder} ${victim} ${relative(dirname(folder), victim)}\n`);
    },
  };
}

describe.skipIf(!hasBubblewrap)('a folder that is replaced while the sandbox is set up', () => {
  it.each(['workspace', 'workspace/pkg'])(
    '[15.1] [15.3] does not open what the link points to: %s',
    async (name) => {
      const { place, folder, victim, swapNext } = await openRace(name);
      const agent = await openStdioAgent(place, '--as', 'agent:mallory');
      onTestFinished(() => agent.close());
      // Control: the program on PATH is a working sandbox.
      const before = await agent.call('Bash', { command: 'echo ok > pkg/mine && cat pkg/mine' });
      expect(before.structured).toMatchObject({ stdout: 'ok\n', sandbox: 'bubblewrap' });

      swapNext();
      const { text } = await agent.call('Bash', {
        command: `echo changed > ${victim}/secret; echo new > ${victim}/new; echo done`,
      });
      expect(text).toMatch(/Read-only file system|was replaced|replaced while it was mounted/);
      // Control: the folder was replaced.
      expect(existsSync(`${folder}.old`)).toBe(true);
      expect(existsSync(join(victim, 'new'))).toBe(false);
      expect(readFileSync(join(victim, 'secret'), 'utf8')).toBe('the-secret');
    },
  );

  it('[15.1] control: bubblewrap itself follows the link', async () => {
    const { place, victim, swapNext } = await openRace('workspace');
    swapNext();
    const { PATH = '' } = place.env;
    const program = join(PATH.split(':')[0] ?? '', 'bwrap');
    const mounts = ['--ro-bind', '/', '/', '--bind', place.workspace, place.workspace];
    execFileSync(program, ['--unshare-user', ...mounts, 'sh', '-c', `echo changed > ${victim}/secret`]);
    expect(readFileSync(join(victim, 'secret'), 'utf8')).toBe('changed\n');
  });
});
