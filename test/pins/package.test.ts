import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, unknown>
>;

describe('the package', () => {
  it('has exactly these entry points', () => {
    expect(manifest['exports']).toEqual({
      '.': { types: './dist/types/index.d.ts', default: './dist/index.js' },
      './tool': { types: './dist/types/tool/index.d.ts', default: './dist/tool.js' },
      './plugin': { types: './dist/types/plugin/index.d.ts', default: './dist/plugin.js' },
      './testing': { types: './dist/types/testing/index.d.ts', default: './dist/testing.js' },
      './package.json': './package.json',
    });
    expect(manifest['bin']).toEqual({ tidegate: 'dist/tidegate.js' });
  });

  it('is an ES module under Apache-2.0 for Node 20.19 and newer', () => {
    expect(manifest).toMatchObject({
      name: 'tidegate',
      type: 'module',
      license: 'Apache-2.0',
      engines: { node: '>=20.19' },
    });
  });

  it('installs only what cannot be bundled, and what its types refer to', () => {
    expect(Object.keys(manifest['dependencies'] as object)).toEqual([
      '@vscode/ripgrep',
      'jiti',
      'libsql',
      'zod',
    ]);
    for (const kind of ['peerDependencies', 'optionalDependencies', 'bundleDependencies']) {
      expect(manifest).not.toHaveProperty(kind);
    }
  });
});
