// The dependency table: which module may import which. Every rule below is derived from these tables and there is no
// ignore list. A new dependency is a change of this table in its own commit, with a decision record.
// docs/reference/dependencies.md is generated from here; test/pins/dependencies.test.ts proves that each rule fires.

const base = ['core', 'ports', 'lib'];
const below = [
  ...base,
  'config',
  'access',
  'search',
  'exposure',
  'gateway',
  'agents',
  'workflow',
  'clients',
  'model',
  'stores',
  'observers/*',
  'providers/*',
  'services/*',
  'tool',
  'tools/*',
];

/** Module -> modules it may import. `x/*`: each folder of x is a module that does not import its siblings. */
const modules = {
  lib: [],
  core: ['lib'],
  ports: ['core', 'lib'],
  'plugin-protocol': ['lib'],
  access: base,
  search: base,
  exposure: [...base, 'search'],
  'observers/*': base,
  'tools/*': [...base, 'tool'],
  'providers/*': [...base, 'plugin-protocol'],
  'services/*': base,
  config: base,
  clients: base,
  model: base,
  agents: [...base, 'gateway', 'model'],
  testing: [...base, 'access', 'exposure', 'search', 'model'],
  plugin: [...base, 'plugin-protocol'],
  tool: base,
  gateway: [...base, 'access', 'exposure'],
  workflow: [...base, 'gateway', 'agents'],
  transports: [...base, 'gateway'],
  stores: [...base, 'access:ports'],
  workspace: below,
  'features/*': [...below, 'workspace'],
  app: ['every module'],
  cli: ['app', 'features/*', 'workspace', 'config', ...base],
  'index.ts': ['app'],
};

/** What a unit test beside its source may import on top of what its module may. */
const testImports = [...base, 'testing'];

/** Modules whose files are imported one by one, so that a process loads only what it needs. */
const openModules = ['lib', 'ports', 'workspace'];

/**
 * Files that other modules import directly: through the index, a bundle would load the rest of the module with them when
 * the program starts.
 */
const entryFiles = [
  'access/model-codes.ts',
  'access/model.generated.ts',
  'config/private-file.ts',
  'config/yaml-tree.ts',
  'exposure/count-tokens.ts',
  'exposure/from-words.ts',
  'features/admin/admin-parts.ts',
  'features/admin/rights-operations.ts',
  'features/admin/token-operations.ts',
  'features/context/context-operation.ts',
  'features/context/context-report.ts',
  'features/context/tell-sessions.ts',
  'providers/plugin/socket-folder.ts',
  'services/processes/mark.ts',
  'transports/http/http-codes.ts',
  'transports/socket/shim.ts',
  'transports/via/relay.ts',
];

const unitTest = '\\.test\\.ts$';
const listedModule = Object.keys(modules).map(modulePattern).join('|');
const vagueFolder = '^src/.*\\b(?:utils?|helpers?|common|misc|shared|managers?)/';
const mcpSdk = '(?:^|node_modules/)@modelcontextprotocol/';
const testPackage = '(?:^|node_modules/)(?:vitest|@vitest|fast-check)(?:/|$)';
const anyModule = '^src/((?:features|observers|providers|services|tools)/[^/]+|[^/]+)/';

/** Rules that the table cannot express. `every: true` also holds for unit tests. */
const rules = [
  {
    name: 'core-imports-nothing',
    says: 'core imports lib and nothing else: no other module, no package, no Node builtin',
    from: '^src/core/',
    to: { pathNot: '^src/' },
  },
  {
    name: 'core-reaches-no-builtin',
    says: 'nothing that core imports, directly or not, needs a package or a Node builtin',
    from: '^src/core/(?!.*\\.test\\.ts$)',
    to: { pathNot: '^src/', reachable: true },
  },
  {
    name: 'enter-by-index',
    says: 'a module is imported through an index.ts; files of lib, ports and workspace, tools and the listed entry files are imported directly',
    from: anyModule,
    to: {
      path: '^src/',
      pathNot: [
        '^src/$1/',
        '/index\\.ts$',
        `^src/(?:${openModules.join('|')})/`,
        '\\.tool\\.ts$',
        ...entryFiles.map((file) => `^src/${file.replace('.', '\\.')}$`),
      ].join('|'),
      dynamic: false,
    },
  },
  {
    name: 'engine-knows-no-product',
    says: 'access/engine imports no other file of src except the pattern matcher: it can be taken out, or replaced by a server',
    from: '^src/access/engine/',
    to: { path: '^src/', pathNot: '^src/(?:access/engine|lib/pattern)/' },
  },
  {
    name: 'tools-import-only-their-ports',
    says: 'a tool imports no Node builtin and no package but zod: it gets what it needs as ports',
    from: '^src/tools/',
    to: { pathNot: '^src/|(?:^|node_modules/)zod/' },
  },
  {
    name: 'mcp-sdk-in-one-module',
    says: 'the official MCP SDK is known in providers/mcp only (and serves tests)',
    from: '^src/(?!providers/mcp/)',
    to: { path: mcpSdk },
  },
  {
    name: 'codecs-import-only-core',
    says: 'transports/framing imports core, ports, lib and its own folder, nothing else',
    from: '^src/transports/framing/',
    to: { pathNot: '^src/(?:core|ports|lib)/|^src/transports/framing/' },
  },
  {
    name: 'protocol-versions-are-separate',
    says: 'the codecs of the two protocol versions, transports/stateful and transports/stateless, import core, ports, lib and what to keep of a client, nothing else',
    from: '^src/transports/(?:stateful|stateless)/codec\\.ts$',
    to: { pathNot: '^src/(?:core|ports|lib)/|^src/transports/kept-client\\.ts$' },
  },
  {
    name: 'testing-serves-tests',
    says: 'the program never imports src/testing or a package that only tests use',
    from: '^src/(?!testing/)',
    to: { path: `^src/testing/|${testPackage}` },
  },
  {
    name: 'testing-is-framework-free',
    says: 'src/testing is published, so it brings no test runner with it',
    from: '^src/testing/',
    to: { path: testPackage },
  },
  {
    name: 'tests-are-leaves',
    says: 'nothing imports a unit test',
    from: '^src/',
    to: { path: unitTest },
    every: true,
  },
  {
    name: 'source-stays-in-src',
    says: 'src imports no file of the project from outside src (unit tests may use test/support)',
    from: '^src/',
    to: {
      path: '^(?:\\.\\./|bench/|dist/|docs/|schema/|scripts/|test/)',
      pathNot: '^test/support/|node_modules/',
    },
    every: true,
  },
  {
    name: 'program-uses-no-test-support',
    says: 'only unit tests use test/support',
    from: '^src/',
    to: { path: '^test/support/' },
  },
  {
    name: 'no-circles',
    says: 'no circular imports, not even of types',
    from: '^src/',
    to: { circular: true },
    every: true,
  },
  {
    name: 'imports-resolve',
    says: 'every import resolves',
    from: '^src/',
    to: { couldNotResolve: true },
    every: true,
  },
  ...anyContact('listed-modules-only', 'a folder or file of src that is not in the table is an error', {
    path: '^src/',
    pathNot: listedModule,
  }),
  ...anyContact('no-vague-folders', 'no utils, helpers, common, misc, shared or manager folder', {
    path: vagueFolder,
  }),
];

module.exports = {
  forbidden: [...Object.entries(modules).flatMap(moduleRules), ...rules.map(extraRule)],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    moduleSystems: ['es6'],
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
// Not enumerable, because dependency-cruiser refuses keys it does not know.
Object.defineProperty(module.exports, 'tables', {
  value: { modules, testImports, openModules, entryFiles, anyModule, rules },
});

function moduleRules([module, imported]) {
  if (imported.includes('every module')) return [];
  const own = modulePattern(module).replace('([^/]+)', '$1');
  const rule = (name, from, allowed) => ({
    name,
    severity: 'error',
    comment: `${module} may import ${allowed.join(', ') || 'no module'}`,
    from,
    to: { path: '^src/', pathNot: [own, ...allowed.map(importPattern)].join('|') },
  });
  return [
    rule(`module ${module}`, { path: modulePattern(module), pathNot: unitTest }, imported),
    rule(`module ${module}, tests`, { path: `${modulePattern(module)}.*${unitTest}` }, [
      ...imported,
      ...testImports,
    ]),
  ];
}

function modulePattern(module) {
  if (module.endsWith('.ts')) return `^src/${module.replace('.', '\\.')}$`;
  return `^src/${module.replace('*', '([^/]+)')}/`;
}

function importPattern(name) {
  const [module, part] = name.split(':');
  const folder = modulePattern(module).replace('([^/]+)', '[^/]+');
  return part === 'ports' ? `${folder}ports/` : folder;
}

function extraRule({ name, says, from, to, every }) {
  const source = typeof from === 'string' ? { path: from } : from;
  return {
    name,
    severity: 'error',
    comment: says,
    from: every ? source : { ...source, pathNot: unitTest },
    to,
  };
}

/** A module is seen by dependency-cruiser through what it imports, who imports it, or as an orphan. */
function anyContact(name, says, place) {
  return [
    { name, says, from: place, to: {}, every: true },
    { name, says, from: '^src/', to: place, every: true },
    { name, says, from: { ...place, orphan: true }, to: {}, every: true },
  ];
}
