import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const config = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
  readonly forbidden: readonly { readonly name: string }[];
  readonly tables: { readonly modules: Readonly<Record<string, readonly string[]>> };
};

/** One file with one import, and the rules that must refuse it. */
interface Sample {
  readonly file: string;
  readonly imports: string;
  readonly breaks: readonly string[];
}

const targets = [
  'core/index.ts',
  'core/a.ts',
  'lib/a.ts',
  'lib/pattern/a.ts',
  'ports/a.ts',
  'plugin-protocol/index.ts',
  'access/index.ts',
  'access/a.ts',
  'access/engine/a.ts',
  'access/engine/index.ts',
  'access/ports/index.ts',
  'search/index.ts',
  'exposure/index.ts',
  'config/index.ts',
  'config/a.ts',
  'config/yaml-tree.ts',
  'agents/index.ts',
  'clients/index.ts',
  'model/index.ts',
  'gateway/index.ts',
  'gateway/a.ts',
  'workflow/index.ts',
  'stores/sqlite/index.ts',
  'workspace/a.ts',
  'features/doctor/index.ts',
  'features/import/index.ts',
  'app/index.ts',
  'transports/index.ts',
  'transports/a.ts',
  'transports/framing/a.ts',
  'transports/stateful/a.ts',
  'transports/stateless/a.ts',
  'cli/index.ts',
  'plugin/index.ts',
  'tool/index.ts',
  'testing/index.ts',
  'observers/log/index.ts',
  'observers/trace/index.ts',
  'services/files/index.ts',
  'providers/mcp/index.ts',
  'providers/local/index.ts',
  'tools/files/a.ts',
  'tools/shell/a.ts',
  'tools/shell/bash.tool.ts',
];

const wrong: readonly Sample[] = [
  bad('lib', 'core/index.js', 'module lib'),
  bad('core', 'access/index.js', 'module core'),
  bad('core', 'ports/a.js', 'module core'),
  bad('core', 'node:fs', 'core-imports-nothing'),
  bad('core', 'yaml', 'core-imports-nothing'),
  bad('core', 'lib/uses-node.js', 'core-reaches-no-builtin'),
  bad('ports', 'config/index.js', 'module ports'),
  bad('plugin-protocol', 'core/index.js', 'module plugin-protocol'),
  bad('access', 'exposure/index.js', 'module access'),
  bad('access/engine', 'core/index.js', 'engine-knows-no-product'),
  bad('access/engine', 'access/a.js', 'engine-knows-no-product'),
  bad('search', 'exposure/index.js', 'module search'),
  bad('exposure', 'access/index.js', 'module exposure'),
  bad('observers/log', 'observers/trace/index.js', 'module observers/*'),
  bad('observers/log', 'gateway/index.js', 'module observers/*'),
  bad('tools/files', 'tools/shell/a.js', 'module tools/*'),
  bad('tools/files', 'services/files/index.js', 'module tools/*'),
  bad('tools/files', 'node:fs', 'tools-import-only-their-ports'),
  bad('tools/files', 'yaml', 'tools-import-only-their-ports'),
  bad('providers/local', 'providers/mcp/index.js', 'module providers/*'),
  bad('providers/mcp', 'gateway/index.js', 'module providers/*'),
  bad('services/files', 'observers/log/index.js', 'module services/*'),
  bad('config', 'app/index.js', 'module config'),
  bad('agents', 'workflow/index.js', 'module agents'),
  bad('clients', 'config/index.js', 'module clients'),
  bad('model', 'gateway/index.js', 'module model'),
  bad('testing', 'gateway/index.js', 'module testing'),
  bad('testing', 'vitest', 'testing-is-framework-free'),
  bad('plugin', 'gateway/index.js', 'module plugin'),
  bad('tool', 'gateway/index.js', 'module tool'),
  bad('gateway', 'transports/index.js', 'module gateway'),
  bad('gateway', 'providers/mcp/index.js', 'module gateway'),
  bad('gateway', 'access/a.js', 'enter-by-index'),
  bad('workflow', 'transports/index.js', 'module workflow'),
  bad('transports', 'providers/mcp/index.js', 'module transports'),
  bad('transports', 'gateway/a.js', 'enter-by-index'),
  bad('transports', '@modelcontextprotocol/client', 'mcp-sdk-in-one-module'),
  bad('transports/framing', 'gateway/index.js', 'codecs-import-only-core'),
  bad('transports/framing', 'transports/a.js', 'codecs-import-only-core'),
  bad('transports/framing', 'node:buffer', 'codecs-import-only-core'),
  sample('transports/stateful/codec.ts', 'transports/stateless/a.js', 'protocol-versions-are-separate'),
  bad('stores', 'access/index.js', 'module stores'),
  bad('stores', 'gateway/index.js', 'module stores'),
  bad('workspace', 'features/doctor/index.js', 'module workspace'),
  bad('workspace', 'app/index.js', 'module workspace'),
  bad('features/doctor', 'features/import/index.js', 'module features/*'),
  bad('features/doctor', 'app/index.js', 'module features/*'),
  bad('features/doctor', 'transports/index.js', 'module features/*'),
  bad('app', 'config/a.js', 'enter-by-index'),
  bad('app', 'testing/index.js', 'testing-serves-tests'),
  bad('app', 'fast-check', 'testing-serves-tests'),
  bad('cli', 'gateway/index.js', 'module cli'),
  bad('cli', 'no/such/file.js', 'imports-resolve'),
  bad('newmodule', 'core/index.js', 'listed-modules-only'),
  bad('gateway/utils', 'core/index.js', 'no-vague-folders'),
  sample('index.ts', 'gateway/index.js', 'module index.ts'),
  sample('loose.ts', 'core/index.js', 'listed-modules-only'),
  sample('observers/loose.ts', 'core/index.js', 'listed-modules-only'),
  sample('gateway/x.test.ts', 'transports/index.js', 'module gateway, tests'),
  sample('observers/log/x.test.ts', 'observers/trace/index.js', 'module observers/*, tests'),
  sample('app/imports-a-test.ts', 'gateway/x.test.js', 'tests-are-leaves'),
  sample('app/leaves-src.ts', '../scripts/a.js', 'source-stays-in-src'),
  sample('app/uses-test-support.ts', '../test/support/a.js', 'program-uses-no-test-support'),
  sample('access/circle-one.ts', 'access/circle-two.js', 'no-circles'),
];

const right: readonly Sample[] = [
  good('lib', 'node:fs'),
  good('core', 'lib/a.js'),
  good('ports', 'core/index.js'),
  good('access', 'core/index.js'),
  good('access', 'access/engine/a.js'),
  good('access/engine', 'lib/pattern/a.js'),
  good('testing', 'access/engine/index.js'),
  good('testing', 'exposure/index.js'),
  good('exposure', 'search/index.js'),
  good('gateway', 'access/index.js'),
  good('agents', 'gateway/index.js'),
  good('agents', 'model/index.js'),
  good('workflow', 'agents/index.js'),
  good('transports', 'gateway/index.js'),
  good('transports', 'transports/stateful/a.js'),
  good('transports', 'node:http'),
  good('providers/mcp', '@modelcontextprotocol/client'),
  good('providers/mcp', 'plugin-protocol/index.js'),
  good('stores', 'access/ports/index.js'),
  good('workspace', 'stores/sqlite/index.js'),
  good('workspace', 'tools/shell/bash.tool.js'),
  good('features/doctor', 'workspace/a.js'),
  good('app', 'stores/sqlite/index.js'),
  good('app', 'features/import/index.js'),
  good('app', 'config/yaml-tree.js'),
  good('cli', 'app/index.js'),
  good('cli', 'config/index.js'),
  good('cli', 'lib/a.js'),
  sample('access/y.test.ts', 'testing/index.js'),
  sample('cli/y.test.ts', 'core/index.js'),
  sample('core/y.test.ts', 'vitest'),
  sample('core/z.test.ts', 'node:fs'),
  sample('transports/y.test.ts', '@modelcontextprotocol/client'),
  sample('transports/z.test.ts', '../test/support/a.js'),
];

describe('the dependency table', () => {
  let folder = '';
  let broken: ReadonlyMap<string, readonly string[]> = new Map();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dependencies-'));
    await writeTree(folder);
    broken = await cruise(folder);
  }, 60_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(wrong)('refuses src/$file importing $imports', ({ file, breaks }) => {
    expect(broken.get(`src/${file}`)).toEqual(expect.arrayContaining([...breaks]));
  });

  it.each(right)('lets src/$file import $imports', ({ file }) => {
    expect(broken.get(`src/${file}`)).toBeUndefined();
  });

  it('refuses a file in an unlisted or vague folder that has no imports and is not imported', () => {
    expect(broken.get('src/lonely/a.ts')).toEqual(['listed-modules-only']);
    expect(broken.get('src/gateway/helpers/a.ts')).toEqual(['no-vague-folders']);
  });

  it('has a sample for every rule', () => {
    const fired = new Set([...broken.values()].flat());
    const silent = new Set(config.forbidden.map(({ name }) => name).filter((name) => !fired.has(name)));
    // Rules for the tests of a module come from the same function; two of them are sampled above.
    expect([...silent].filter((name) => !name.endsWith(', tests'))).toEqual([]);
  });

  it('lets core and lib import nothing else from the product', () => {
    expect(config.tables.modules['lib']).toEqual([]);
    expect(config.tables.modules['core']).toEqual(['lib']);
    expect(Object.keys(config.tables.modules)).toHaveLength(27);
  });
});

function bad(module: string, imports: string, ...breaks: readonly string[]): Sample {
  return sample(`${module}/bad-${imports.replace(/\W+/g, '-')}.ts`, imports, ...breaks);
}

function good(module: string, imports: string): Sample {
  return sample(`${module}/good-${imports.replace(/\W+/g, '-')}.ts`, imports);
}

function sample(file: string, imports: string, ...breaks: readonly string[]): Sample {
  return { file, imports, breaks };
}

async function writeTree(folder: string): Promise<void> {
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await write(folder, 'tsconfig.json', '{"compilerOptions":{"module":"nodenext","target":"es2023"}}');
  await write(folder, 'package.json', '{"type":"module"}');
  for (const file of ['scripts/a.ts', 'test/support/a.ts'])
    await write(folder, file, 'export const a = 1;\n');
  for (const file of [...targets, 'lonely/a.ts', 'gateway/helpers/a.ts']) {
    await write(folder, `src/${file}`, 'export const a = 1;\n');
  }
  await write(folder, 'src/lib/uses-node.ts', "import 'node:fs';\nexport const a = 1;\n");
  // A circle is reported once, at one of its files.
  await write(folder, 'src/access/circle-two.ts', "import './circle-one.js';\n");
  for (const { file, imports } of [...wrong, ...right]) {
    const up = '../'.repeat(file.split('/').length - 1) || './';
    const isLocal = imports.endsWith('.js');
    await write(
      folder,
      `src/${file}`,
      `import '${isLocal ? up + imports : imports}';\nexport const a = 1;\n`,
    );
  }
}

async function write(folder: string, file: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, file)), { recursive: true });
  await writeFile(join(folder, file), text);
}

/** Runs the same command as `npm run check` and gives the broken rules of each file. */
async function cruise(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const program = join(root, 'node_modules', '.bin', 'depcruise');
  const args = ['src', '--config', join(root, '.dependency-cruiser.cjs'), '--output-type', 'json'];
  const text = await new Promise<string>((done) => {
    // Exits non-zero, because the tree is full of violations.
    execFile(program, args, { cwd: folder, maxBuffer: 64 << 20, timeout: 55_000 }, (_error, stdout) =>
      done(stdout),
    );
  });
  const report = JSON.parse(text) as {
    readonly summary: {
      readonly violations: readonly { readonly from: string; readonly rule: { name: string } }[];
    };
  };
  const broken = new Map<string, string[]>();
  for (const { from, rule } of report.summary.violations) {
    const rules = broken.get(from) ?? [];
    if (!rules.includes(rule.name)) broken.set(from, [...rules, rule.name]);
  }
  return broken;
}
