import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { coverStart } from './cover-start.js';
import { openTrust } from '../trust.js';
import { otherNames } from './other-names.js';
import { recordServer, withLock } from './server-standing.js';

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-guards-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (path: string): string => join(root, path);
function file(path: string, text = ''): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}
function guardsOf(script: string, env: Readonly<Record<string, string>> = {}) {
  const { guards } = coverStart({ command: 'node', args: [script], cwd: root, env }, [root]);
  const short = (paths: readonly string[]) => paths.map((path) => path.slice(root.length + 1));
  return { fixed: short(guards.fixed), absent: short(guards.absent) };
}

describe('[15.3] the files that decide which code is loaded', () => {
  it('are none for a program that loads no package', () => {
    file('srv/a.mjs', `import './b.mjs';\nimport 'node:fs';`);
    file('srv/b.mjs');
    expect(guardsOf('srv/a.mjs')).toEqual({ fixed: [], absent: [] });
  });

  it('are the nearest package.json and each nearer node_modules', () => {
    file('package.json', '{}');
    file('tools/srv/a.mjs', `import 'dep';`);
    file('node_modules/dep/package.json', '{}');
    expect(guardsOf('tools/srv/a.mjs')).toEqual({
      fixed: [],
      absent: [
        'package.json',
        'tools/node_modules',
        'tools/package.json',
        'tools/srv/node_modules',
        'tools/srv/package.json',
      ],
    });
  });

  it('do not include node_modules of the root for a package that is not installed', () => {
    file('srv/package.json', '{}');
    file('srv/a.mjs', `import 'none';`);
    expect(guardsOf('srv/a.mjs').absent).toEqual(['srv/node_modules', 'srv/package.json']);
  });

  it('include the scope folder, where an empty node_modules would break npm', () => {
    file('srv/package.json', '{}');
    file('srv/a.mjs', `import '@s/one';`);
    file('node_modules/@s/one/package.json', '{"main":"i.js"}');
    file('node_modules/@s/one/i.js', `require('two');`);
    file('node_modules/two/package.json', '{}');
    expect(guardsOf('srv/a.mjs').fixed).toEqual(['node_modules/@s']);
  });

  it('include the folder of each link on the path, but not the root', () => {
    file('releases/1/a.mjs');
    mkdirSync(at('bin'));
    symlinkSync('../releases/1', at('bin/current'));
    symlinkSync('bin', at('programs'));
    expect(guardsOf('programs/current/a.mjs').fixed).toEqual(['bin']);
  });

  it('include every hard link to a file in the roots', () => {
    file('srv/a.mjs', 'text');
    file('srv/b.mjs', 'text');
    expect(otherNames([at('srv')], [root], 3)).toEqual([]);
    linkSync(at('srv/a.mjs'), at('copy.txt'));
    linkSync(at('srv/b.mjs'), at('srv/inside.mjs'));
    expect(otherNames([at('srv')], [root])).toEqual([at('copy.txt')]);
  });

  it('include hard links in folders whose names are not UTF-8, or nothing can be trusted', () => {
    file('srv/a.mjs', 'text');
    const folder = Buffer.concat([Buffer.from(`${root}/d`), Buffer.from([0xff])]);
    mkdirSync(folder);
    expect(otherNames([at('srv')], [root])).toEqual([]);
    linkSync(at('srv/a.mjs'), Buffer.concat([folder, Buffer.from('/a')]));
    expect(() => otherNames([at('srv')], [root])).toThrow('not valid UTF-8');
  });

  it.skipIf(process.getuid?.() === 0)(
    'cannot be determined with an unreadable folder, so nothing is trusted',
    () => {
      file('srv/a.mjs', 'text');
      file('store/a.txt', '');
      mkdirSync(at('srv/closed'));
      mkdirSync(at('work/closed'), { recursive: true });
      linkSync(at('srv/a.mjs'), at('store/b.mjs'));
      chmodSync(at('work/closed'), 0);
      try {
        expect(() => otherNames([at('srv')], [at('srv'), at('work')])).toThrow("can't be read");
        // Controls: all names are known; every folder of the roots can be read.
        expect(otherNames([at('srv')], [root])).toEqual([at('store/b.mjs')]);
        chmodSync(at('work/closed'), 0o700);
        expect(otherNames([at('srv')], [at('srv'), at('work')])).toEqual([]);
      } finally {
        chmodSync(at('work/closed'), 0o700);
      }
    },
  );

  it('leave a server untrusted if hard links cannot be found reliably', () => {
    for (const name of ['a', 'b', 'c', 'd']) file(`data/${name}`);
    file('srv/a.mjs', 'text');
    linkSync(at('srv/a.mjs'), at('copy.txt'));
    const files = [{ file: at('srv/a.mjs'), sha256: 'a' }];
    const record = { file: at('tidegate.yaml#servers.s'), sha256: 'a'.repeat(64) };
    const standing = { name: 's', files, changed: [], added: [], isTrusted: false, grounds: [root], record };
    mkdirSync(at('state'), { mode: 0o700 });
    const trust = openTrust(at('state'));
    const tooMany = withLock(standing, 3);
    expect(tooMany.problem).toContain('hard links');
    expect([recordServer(tooMany, trust), trust.list()]).toEqual([undefined, []]);
    // Control.
    expect(recordServer(withLock(standing), trust)).toBeUndefined();
    expect(trust.list()[0]?.guards?.fixed).toEqual([at('copy.txt')]);
  });
});
