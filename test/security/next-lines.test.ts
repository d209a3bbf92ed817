import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlowPlace, openFlowPlace } from '../support/flow.js';

// A person pastes what stands behind `next:`. A folder that somebody else named must not run anything then.

let place: FlowPlace;
beforeAll(() => {
  place = openFlowPlace();
});
afterAll(() => place.close());

describe('the command after next:', () => {
  it('[15.40] runs nothing that the name of a folder contains', async () => {
    const home = join(place.directory, 'home$(touch owned)');
    // Where a file of a client should be there is a folder.
    mkdirSync(join(home, '.claude.json'), { recursive: true });
    const env = { ...place.env, HOME: home };
    const { stderr } = await place.run1(['import', 'claude', '--scope', 'user', '--dry-run'], { env });
    const next = /next: (ls .*)/.exec(stderr.replaceAll('\n  ', ' '))?.[1] ?? stderr;
    const owned = join(place.directory, 'owned');
    const paste = (line: string): string =>
      execFileSync('sh', ['-c', `${line} || true`], {
        cwd: place.directory,
        encoding: 'utf8',
        stdio: 'pipe',
      });
    paste(next);
    expect(next).toContain(`'${join(home, '.claude.json')}'`);
    expect(existsSync(owned)).toBe(false);
    // Control: the same path as it is makes the shell run what it says.
    paste(`ls -l ${join(home, '.claude.json')}`);
    expect(existsSync(owned)).toBe(true);
    rmSync(owned);
  });
});
