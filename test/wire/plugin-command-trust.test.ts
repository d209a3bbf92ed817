// In the built program, files named by a command in plugins.yaml are part of the trusted content.
import { chmodSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { openPluginPlace, type PluginPlace } from '../support/plugin-place.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function open(): PluginPlace {
  const place = openPluginPlace();
  closers.push(() => place.close());
  return place;
}

const peer = fileURLToPath(new URL('../fixtures/plugins/peer.mjs', import.meta.url));
const served = `import(${JSON.stringify(peer)}).then(({ serve }) => serve({ name: 'peer', behaviours: [], extra: [] }));\n`;
const searched = `./bin:${dirname(process.execPath)}:/usr/bin:/bin`;

const cases: readonly {
  readonly what: string;
  readonly entry: object;
  readonly files: Readonly<Record<string, string>>;
  readonly changed: string;
}[] = [
  { what: 'lib.js', entry: { command: ['node', './lib'] }, files: { 'lib.js': served }, changed: 'lib.js' },
  {
    what: 'index.js in a folder',
    entry: { command: ['node', './dir'] },
    files: { 'dir/index.js': served },
    changed: 'dir/index.js',
  },
  {
    what: 'file named by a flag',
    entry: { command: ['node', '--import=./hook.mjs', './main.mjs'] },
    files: { 'hook.mjs': '', 'main.mjs': served },
    changed: 'hook.mjs',
  },
  {
    what: 'program found on its PATH',
    entry: { command: ['node', './main.mjs'], env: { PATH: searched } },
    files: { 'main.mjs': served },
    changed: 'bin/node',
  },
  {
    what: 'package imported by its script [15.3]',
    entry: { command: ['node', './main.mjs'] },
    files: {
      'main.mjs': `import 'dep';\n${served}`,
      'node_modules/dep/package.json': '{"name":"dep","main":"index.js"}',
      'node_modules/dep/index.js': '',
    },
    changed: 'node_modules/dep/index.js',
  },
  {
    what: 'file imported by such a file [15.3]',
    entry: { command: ['node', './main.mjs'] },
    files: { 'main.mjs': `import './a.mjs';\n${served}`, 'a.mjs': `import './b.mjs';\n`, 'b.mjs': '' },
    changed: 'b.mjs',
  },
];

describe('a command in plugins.yaml', () => {
  it.each(cases)('does not run with a changed $what', ({ entry, files, changed }) => {
    const place = open();
    const mark = join(place.directory, 'ran');
    for (const [name, text] of Object.entries(files)) place.writeWorkspace(name, text);
    place.writeList({ peer: { ...entry, mtls: false } });
    place.trustPlugins('peer');
    // The control: unchanged, it runs.
    expect(place.run('plugin', 'call', 'peer', 'echo', 'text=a')).toMatchObject({ status: 0 });

    const script = changed.startsWith('bin/')
      ? `#!/bin/sh\necho x > '${mark}'\nexec '${process.execPath}' "$@"\n`
      : `process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(mark)}, 'x');\n${files[changed] ?? ''}`;
    place.writeWorkspace(changed, script);
    chmodSync(join(place.workspace, changed), 0o755);
    const refused = place.run('plugin', 'call', 'peer', 'echo', 'text=a');
    expect(refused.status).toBe(6);
    expect(refused.stderr).toContain('changed since it was trusted');
    expect(() => readFileSync(mark)).toThrow('ENOENT');
    place.trustPlugins('peer');
    expect(place.run('plugin', 'call', 'peer', 'echo', 'text=a').status).toBe(0);
    expect(readFileSync(mark, 'utf8').trim()).toBe('x');
  });

  it('[15.3] in a folder does not run with a changed package that its program imports', () => {
    const place = open();
    const mark = join(place.directory, 'ran');
    const index = 'node_modules/dep/index.js';
    place.writeWorkspace(index, '');
    place.addPeer('peer', { before: `require('dep');` });
    place.trustPlugins('peer');
    expect(place.run('plugin', 'call', 'peer', 'echo', 'text=a')).toMatchObject({ status: 0 });
    place.writeWorkspace(index, `require('node:fs').writeFileSync(${JSON.stringify(mark)}, 'x');`);
    expect(place.run('plugin', 'call', 'peer', 'echo', 'text=a').status).toBe(6);
    expect(() => readFileSync(mark)).toThrow('ENOENT');
    // The control: once trusted, the changed package runs.
    place.trustPlugins('peer');
    expect(place.run('plugin', 'call', 'peer', 'echo', 'text=a').status).toBe(0);
    expect(readFileSync(mark, 'utf8')).toBe('x');
  });

  it('is shown with the variables that decide what code is loaded, and without possible secrets', () => {
    const place = open();
    place.writeWorkspace('main.mjs', served);
    const env = { PATH: searched, NODE_OPTIONS: '--import=./hook.mjs', API_TOKEN: 'not-to-be-seen' };
    place.writeList({ peer: { command: ['node', './main.mjs'], env } });
    const { stdout } = place.run('plugin', 'trust', 'peer', '--yes');
    expect(stdout).toContain(`PATH=${JSON.stringify(searched)}`);
    expect(stdout).toContain('NODE_OPTIONS="--import=./hook.mjs"');
    expect(stdout).toContain('API_TOKEN');
    expect(stdout).not.toContain('not-to-be-seen');
  });
});
