// The house plan: which room may enter which. Every rule below is derived from these two tables and there is
// no ignore list. A new door is a change of this table in its own commit, with a decision record.
// docs/reference/house-plan.md is generated from here; test/pins/house-plan.test.ts proves that each rule fires.

/** Room -> rooms it may enter. `x/*`: each folder of x is a room of its own, a stranger to its neighbours. */
const doors = {
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
};

/** What a unit test beside its source may enter on top of its room's own doors. */
const testDoors = ['kernel', 'testing'];

const unitTest = '\\.test\\.ts$';
const listedRoom = Object.keys(doors).map(roomPattern).join('|');
const vagueFolder = '^src/.*\\b(?:utils?|helpers?|common|misc|shared|managers?)/';
const mcpSdk = '(?:^|node_modules/)@modelcontextprotocol/';
const testPackage = '(?:^|node_modules/)(?:vitest|@vitest|fast-check)(?:/|$)';

/** Walls that the table of doors cannot say. `every: true` also holds for unit tests. */
const walls = [
  {
    name: 'kernel-imports-nothing',
    says: 'kernel imports nothing: no other room, no package, no Node builtin',
    from: '^src/kernel/',
    to: { pathNot: '^src/' },
  },
  {
    name: 'engine-knows-no-product',
    says: 'access/engine imports no other file of src: it can be taken out, or replaced by a server',
    from: '^src/access/engine/',
    to: { path: '^src/', pathNot: '^src/access/engine/' },
  },
  {
    name: 'tools-import-only-their-ports',
    says: 'a tool imports no Node builtin and no package but zod: it gets what it needs as ports',
    from: '^src/tools/',
    to: { pathNot: '^src/|(?:^|node_modules/)zod/' },
  },
  {
    name: 'mcp-sdk-in-one-room',
    says: 'the official MCP SDK is known in providers/mcp only (and serves tests)',
    from: '^src/(?!providers/mcp/)',
    to: { path: mcpSdk },
  },
  {
    name: 'codecs-import-only-kernel',
    says: 'wire/framing and each wire/era-* import kernel and their own folder, nothing else',
    from: '^src/wire/(framing|era-[^/.]+)(?:/|\\.ts$)',
    to: { pathNot: '^src/kernel/|^src/wire/$1(?:/|\\.ts$)' },
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
  ...anyContact('listed-rooms-only', 'a folder or file of src that is not in the table is an error', {
    path: '^src/',
    pathNot: listedRoom,
  }),
  ...anyContact('no-vague-folders', 'no utils, helpers, common, misc, shared or manager folder', {
    path: vagueFolder,
  }),
];

module.exports = {
  forbidden: [...Object.entries(doors).flatMap(roomRules), ...walls.map(wallRule)],
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
Object.defineProperty(module.exports, 'housePlan', { value: { doors, testDoors, walls } });

function roomRules([room, entered]) {
  if (entered.includes('every room')) return [];
  const own = roomPattern(room).replace('([^/]+)', '$1');
  const rule = (name, from, allowed) => ({
    name,
    severity: 'error',
    comment: `${room} may enter ${allowed.join(', ') || 'no room'}`,
    from,
    to: { path: '^src/', pathNot: [own, ...allowed.map(doorPattern)].join('|') },
  });
  return [
    rule(`room ${room}`, { path: roomPattern(room), pathNot: unitTest }, entered),
    rule(`room ${room}, tests`, { path: `${roomPattern(room)}.*${unitTest}` }, [...entered, ...testDoors]),
  ];
}

function roomPattern(room) {
  if (room.endsWith('.ts')) return `^src/${room.replace('.', '\\.')}$`;
  return `^src/${room.replace('*', '([^/]+)')}/`;
}

function doorPattern(door) {
  const [room, part] = door.split(':');
  const folder = roomPattern(room).replace('([^/]+)', '[^/]+');
  return part === 'ports' ? `${folder}.*\\bports?\\.ts$` : folder;
}

function wallRule({ name, says, from, to, every }) {
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
