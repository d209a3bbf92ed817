import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const isFull = process.env['TIDEGATE_COUNTS'] === 'full';

/** Suites that measure time or memory, or fill the machine: nothing else runs beside them. */
const alone = [
  'access-hidden',
  'cancellation',
  'exits',
  'leak',
  'oversize',
  'shell-endings',
  'shell-flood',
  'shell-watch',
  'slow-reader',
  'store-kill',
  'upstream-faults',
].map((name) => `test/security/${name}.test.ts`);
/** Suites of test/wire that take long: `.ci/run` has them beside those of security, `npm test` does not wait for them. */
const long = [
  'doctor-clients',
  'agent-socket',
  'plugin-command-trust',
  'plugin-trust',
  'plugins',
  'reload',
  'state-entries',
  'tokens',
  'tokens-replicas',
  'workflow-owner',
  'workflow-tools',
].map((name) => `test/wire/${name}.test.ts`);
const wire = onProgram('wire', ['wire', 'contract']);
const security = onProgram('security', ['security']);
const agents = onProgram('agents', ['agents'], ['test/agents/support/proven.ts']);

export default defineConfig({
  cacheDir: '.cache/vitest',
  // The examples are written as their readers would write them.
  resolve: {
    alias: {
      'tidegate/tool': fileURLToPath(new URL('src/tool/index.ts', import.meta.url)),
      'tidegate/plugin': fileURLToPath(new URL('src/plugin/index.ts', import.meta.url)),
      'tidegate/testing': fileURLToPath(new URL('src/testing/index.ts', import.meta.url)),
    },
  },
  define: { __TIDEGATE_VERSION__: JSON.stringify(version) },
  test: {
    passWithNoTests: true,
    maxWorkers: 2,
    teardownTimeout: 30_000,
    setupFiles: ['test/support/seed.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            'src/**/*.test.ts',
            'test/pins/**/*.test.ts',
            'test/types/**/*.test.ts',
            'examples/**/*.test.ts',
          ],
          testTimeout: 20_000,
          hookTimeout: 20_000,
        },
      },
      { ...wire, test: { ...wire.test, exclude: long, fileParallelism: true } },
      {
        ...security,
        test: {
          ...security.test,
          include: [...security.test.include, ...long],
          exclude: alone,
          fileParallelism: true,
        },
      },
      { ...security, test: { ...security.test, name: 'security-alone', include: alone } },
      // Agents mostly wait.
      { ...agents, test: { ...agents.test, fileParallelism: true } },
    ],
  },
});

/** Suites that drive the built program, one file at a time unless it is said otherwise. */
function onProgram(name: string, folders: readonly string[], setups: readonly string[] = []) {
  return {
    extends: true as const,
    // What these suites import by its public name is the built one.
    resolve: {
      alias: [
        { find: /^tidegate$/, replacement: fileURLToPath(new URL('dist/index.js', import.meta.url)) },
        { find: 'tidegate/testing', replacement: fileURLToPath(new URL('dist/testing.js', import.meta.url)) },
      ],
    },
    test: {
      name,
      include: folders.map((folder) => `test/${folder}/**/*.test.ts`),
      globalSetup: ['test/support/require-built.ts', ...setups],
      pool: 'forks' as const,
      fileParallelism: false,
      // One more try in CI, because a busy machine delays processes. The report names each test that needed it.
      retry: process.env['CI'] === undefined ? 0 : 1,
      testTimeout: isFull ? 1_200_000 : 120_000,
      hookTimeout: 120_000,
    },
  };
}
