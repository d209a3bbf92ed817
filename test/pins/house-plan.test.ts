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
  readonly housePlan: { readonly doors: Readonly<Record<string, readonly string[]>> };
};

/** One file with one import, and the rules that must refuse it. */
interface Sample {
  readonly file: string;
  readonly imports: string;
  readonly breaks: readonly string[];
}

const targets = [
  'kernel/a.ts',
  'access/a.ts',
  'access/engine/a.ts',
  'access/grant-port.ts',
  'surface/a.ts',
  'surface/ports.ts',
  'config/a.ts',
  'agents/a.ts',
  'clients/a.ts',
  'model/a.ts',
  'gateway/a.ts',
  'workflow/a.ts',
  'stores/a.ts',
  'app/a.ts',
  'wire/a.ts',
  'wire/framing/a.ts',
  'wire/era-one/a.ts',
  'wire/era-two/a.ts',
  'cli/a.ts',
  'plugin/a.ts',
  'tool/a.ts',
  'testing/a.ts',
  'concerns/log/a.ts',
  'concerns/log/port.ts',
  'concerns/trace/a.ts',
  'services/files/a.ts',
  'services/files/ports.ts',
  'providers/mcp/a.ts',
  'providers/local/a.ts',
  'tools/files/a.ts',
  'tools/shell/a.ts',
];

const wrong: readonly Sample[] = [
  bad('kernel', 'access/a.js', 'room kernel'),
  bad('kernel', 'node:fs', 'kernel-imports-nothing'),
  bad('kernel', 'yaml', 'kernel-imports-nothing'),
  bad('access', 'surface/a.js', 'room access'),
  bad('access/engine', 'kernel/a.js', 'engine-knows-no-product'),
  bad('access/engine', 'access/a.js', 'engine-knows-no-product'),
  bad('surface', 'access/a.js', 'room surface'),
  bad('concerns/log', 'concerns/trace/a.js', 'room concerns/*'),
  bad('concerns/log', 'gateway/a.js', 'room concerns/*'),
  bad('tools/files', 'tools/shell/a.js', 'room tools/*'),
  bad('tools/files', 'services/files/a.js', 'room tools/*'),
  bad('tools/files', 'node:fs', 'tools-import-only-their-ports'),
  bad('tools/files', 'yaml', 'tools-import-only-their-ports'),
  bad('providers/local', 'providers/mcp/a.js', 'room providers/*'),
  bad('providers/mcp', 'gateway/a.js', 'room providers/*'),
  bad('services/files', 'concerns/log/a.js', 'room services/*'),
  bad('config', 'app/a.js', 'room config'),
  bad('agents', 'workflow/a.js', 'room agents'),
  bad('clients', 'config/a.js', 'room clients'),
  bad('model', 'gateway/a.js', 'room model'),
  bad('testing', 'gateway/a.js', 'room testing'),
  bad('testing', 'vitest', 'testing-is-framework-free'),
  bad('plugin', 'gateway/a.js', 'room plugin'),
  bad('tool', 'gateway/a.js', 'room tool'),
  bad('gateway', 'wire/a.js', 'room gateway'),
  bad('gateway', 'providers/mcp/a.js', 'room gateway'),
  bad('workflow', 'wire/a.js', 'room workflow'),
  bad('wire', 'providers/mcp/a.js', 'room wire'),
  bad('wire', '@modelcontextprotocol/client', 'mcp-sdk-in-one-room'),
  bad('wire/framing', 'gateway/a.js', 'codecs-import-only-kernel'),
  bad('wire/framing', 'wire/a.js', 'codecs-import-only-kernel'),
  bad('wire/framing', 'node:buffer', 'codecs-import-only-kernel'),
  bad('wire/era-one', 'wire/era-two/a.js', 'codecs-import-only-kernel'),
  bad('wire/era-one', 'wire/framing/a.js', 'codecs-import-only-kernel'),
  bad('stores', 'access/a.js', 'room stores'),
  bad('stores', 'gateway/a.js', 'room stores'),
  bad('app', 'testing/a.js', 'testing-serves-tests'),
  bad('app', 'fast-check', 'testing-serves-tests'),
  bad('cli', 'gateway/a.js', 'room cli'),
  bad('cli', 'kernel/a.js', 'room cli'),
  bad('cli', 'no/such/file.js', 'imports-resolve'),
  bad('newroom', 'kernel/a.js', 'listed-rooms-only'),
  bad('gateway/utils', 'kernel/a.js', 'no-vague-folders'),
  sample('index.ts', 'gateway/a.js', 'room index.ts'),
  sample('loose.ts', 'kernel/a.js', 'listed-rooms-only'),
  sample('concerns/loose.ts', 'kernel/a.js', 'listed-rooms-only'),
  sample('gateway/x.test.ts', 'wire/a.js', 'room gateway, tests'),
  sample('concerns/log/x.test.ts', 'concerns/trace/a.js', 'room concerns/*, tests'),
  sample('app/imports-a-test.ts', 'gateway/x.test.js', 'tests-are-leaves'),
  sample('app/leaves-src.ts', '../scripts/a.js', 'source-stays-in-src'),
  sample('app/uses-test-support.ts', '../test/support/a.js', 'program-uses-no-test-support'),
  sample('access/circle-one.ts', 'access/circle-two.js', 'no-circles'),
];

const right: readonly Sample[] = [
  good('access', 'kernel/a.js'),
  good('access', 'access/engine/a.js'),
  good('testing', 'access/engine/a.js'),
  good('testing', 'surface/a.js'),
  good('gateway', 'access/a.js'),
  good('agents', 'gateway/a.js'),
  good('agents', 'model/a.js'),
  good('workflow', 'agents/a.js'),
  good('wire', 'gateway/a.js'),
  good('wire', 'wire/era-one/a.js'),
  good('wire', 'node:http'),
  good('wire/era-one', 'kernel/a.js'),
  good('wire/era-one', 'wire/era-one/a.js'),
  good('providers/mcp', '@modelcontextprotocol/client'),
  good('concerns/log', 'concerns/log/a.js'),
  good('concerns/log', 'pino'),
  good('stores', 'access/grant-port.js'),
  good('stores', 'surface/ports.js'),
  good('stores', 'concerns/log/port.js'),
  good('stores', 'services/files/ports.js'),
  good('app', 'stores/a.js'),
  good('app', 'concerns/trace/a.js'),
  good('cli', 'app/a.js'),
  good('cli', 'config/a.js'),
  sample('access/y.test.ts', 'testing/a.js'),
  sample('cli/y.test.ts', 'kernel/a.js'),
  sample('kernel/y.test.ts', 'vitest'),
  sample('kernel/z.test.ts', 'node:fs'),
  sample('wire/y.test.ts', '@modelcontextprotocol/client'),
  sample('wire/z.test.ts', '../test/support/a.js'),
];

describe('the house plan', () => {
  let folder = '';
  let broken: ReadonlyMap<string, readonly string[]> = new Map();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'house-plan-'));
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

  it('refuses a file in an unlisted or vague folder that imports nothing and that nobody imports', () => {
    expect(broken.get('src/lonely/a.ts')).toEqual(['listed-rooms-only']);
    expect(broken.get('src/gateway/helpers/a.ts')).toEqual(['no-vague-folders']);
  });

  it('has a sample for every rule', () => {
    const fired = new Set([...broken.values()].flat());
    const silent = new Set(config.forbidden.map(({ name }) => name).filter((name) => !fired.has(name)));
    // Rules of a room's tests are made by the same function; two of them are sampled above.
    expect([...silent].filter((name) => !name.endsWith(', tests'))).toEqual([]);
  });

  it('has exactly these doors', () => {
    expect(config.housePlan.doors).toEqual({
      kernel: [],
      access: ['kernel'],
      surface: ['kernel'],
      'concerns/*': ['kernel'],
      'tools/*': ['kernel', 'tool'],
      'providers/*': ['kernel'],
      'services/*': ['kernel'],
      config: ['kernel'],
      clients: ['kernel'],
      model: ['kernel'],
      agents: ['kernel', 'gateway', 'model'],
      testing: ['kernel', 'access', 'surface', 'model'],
      plugin: ['kernel'],
      tool: ['kernel'],
      gateway: ['kernel', 'access', 'surface'],
      workflow: ['kernel', 'gateway', 'agents'],
      wire: ['kernel', 'gateway'],
      stores: ['kernel', 'access:ports', 'surface:ports', 'concerns/*:ports', 'services/*:ports'],
      app: ['every room'],
      cli: ['app', 'config'],
      'index.ts': ['app'],
    });
  });
});

function bad(room: string, imports: string, ...breaks: readonly string[]): Sample {
  return sample(`${room}/bad-${imports.replace(/\W+/g, '-')}.ts`, imports, ...breaks);
}

function good(room: string, imports: string): Sample {
  return sample(`${room}/good-${imports.replace(/\W+/g, '-')}.ts`, imports);
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
