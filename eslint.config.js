import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const typescript = ['src/**/*.ts', 'test/**/*.ts', 'examples/**/*.ts'];
const tests = ['**/*.test.ts', 'test/**/*.ts'];
// A plugin runs in a separate process and gets its handshake through the environment.
const readsEnvironment = ['src/config/**', 'src/cli/**', 'src/plugin/**'];

/** Lines of code: blank lines and comments of a file are not counted. A function counts with both. */
const fileSize = { max: 250, skipBlankLines: true, skipComments: true };
const functionSize = { max: 80 };
/** One table each; a table is not easier to read in two files. */
const tables = [
  'src/core/fault.ts',
  'src/transports/admin-api/routes.ts',
  'src/workflow/codes.ts',
  'src/workflow/fields/tables.ts',
];

const noEnum = { selector: 'TSEnumDeclaration', message: 'Use a const tuple and a union type.' };
const noComputedImport = {
  selector: 'ImportExpression[source.type!="Literal"]',
  message: 'The dependency check cannot see a computed import().',
};
const noDoubleAssertion = {
  selector: 'TSAsExpression > TSAsExpression',
  message: 'Parse the value instead of asserting it twice.',
};
const noEnvironment = [
  'MemberExpression[object.name="process"][property.name="env"]',
  'MemberExpression[object.name="process"][property.value="env"]',
  'VariableDeclarator[init.name="process"] > ObjectPattern > Property[key.name="env"]',
  'ImportDeclaration[source.value=/^(node:)?process$/]',
].map((selector) => ({ selector, message: 'The environment is read in src/config and src/cli only.' }));

const everywhere = [noEnum, noComputedImport];
const inProgram = [noEnum, noDoubleAssertion];

export default defineConfig(
  globalIgnores([
    'dist/',
    '.cache/',
    'coverage/',
    'test/fixtures/',
    'test/types/programs/',
    '**/*.generated.ts',
  ]),
  { linterOptions: { reportUnusedDisableDirectives: 'error', reportUnusedInlineConfigs: 'error' } },
  {
    files: typescript,
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'no-restricted-syntax': ['error', ...everywhere],
      'no-restricted-exports': ['error', { restrictDefaultExports: namedExportsOnly() }],
      'max-depth': ['error', 4],
      eqeqeq: 'error',
      'no-eval': 'error',
      'no-new-func': 'error',
      'no-param-reassign': 'error',
      'prefer-const': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
      ],
      // `return line.end(answer);` is how our early exits read, in async functions too.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // An async function without await turns a throw into a rejection, which is what its caller expects.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: tests,
    rules: {
      'no-restricted-syntax': ['error', ...inProgram, noComputedImport, ...noEnvironment],
      'no-console': 'error',
      'max-lines': ['error', fileSize],
      'max-lines-per-function': ['error', functionSize],
      'no-restricted-imports': ['error', { paths: [hidden('createRequire'), hidden('register')] }],
    },
  },
  { files: tables, rules: { 'max-lines': 'off' } },
  {
    files: readsEnvironment,
    ignores: tests,
    rules: { 'no-restricted-syntax': ['error', ...inProgram, noComputedImport] },
  },
  { files: ['src/cli/**/*.ts'], rules: { 'no-console': 'off' } },
  { files: ['**/*.tool.ts', 'examples/plugins/*/plugin.ts'], rules: { 'no-restricted-exports': 'off' } },
  {
    files: tests,
    rules: {
      // expect.any() and friends are typed any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs', '**/*.js'],
    rules: {
      eqeqeq: 'error',
      'no-unused-vars': 'error',
      'prefer-const': 'error',
      'no-var': 'error',
      'no-eval': 'error',
      'max-depth': ['error', 4],
    },
  },
);

function namedExportsOnly() {
  return { direct: true, named: true, defaultFrom: true, namedFrom: true, namespaceFrom: true };
}

function hidden(name) {
  return {
    name: 'node:module',
    importNames: [name],
    message: 'The dependency check cannot see what this loads.',
  };
}
