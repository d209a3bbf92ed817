// `node scripts/screens.mjs [name …]`: draws the pictures of terminals in the docs anew, from the built program in a
// workspace with one server, under an empty home. `--print COLUMNS` shows the screens as text instead, to look at them.
// `--walk FOLDER` keeps what every command writes there: in terminals of 80 and 200 columns, without colours, in a pipe.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { linesOf } from './screens/terminal.mjs';
import { svgOf } from './screens/svg.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'dist/tidegate.js');
const pictures = join(root, 'docs/pictures/screens');
/** What each picture shows. The first ones prepare what the later ones need. */
const screens = [
  {
    name: 'init',
    title: 'tidegate init looks at the machine and writes tidegate.yaml',
    args: ['init', '--yes'],
  },
  { name: 'doctor', title: 'tidegate doctor checks everything and says what to type', args: ['doctor'] },
  { name: 'tools-cost', title: 'tidegate tools cost weighs tools in tokens', args: ['tools', 'cost'] },
  {
    name: 'explain',
    title: 'tidegate explain tells what a code means',
    args: ['explain', 'provider.untrusted'],
  },
  {
    name: 'import',
    title: 'tidegate import shows what it would write before it writes anything',
    args: ['import', 'cursor', '--point', '--dry-run', '--gate', 'name'],
    prepare: writeEditor,
  },
];

const { values, positionals } = parseArgs({
  options: { print: { type: 'string' }, walk: { type: 'string' } },
  allowPositionals: true,
});
if (values.walk !== undefined) process.exit(walk(resolve(values.walk)));
const place = mkdtempSync(join(tmpdir(), 'tg-'));
try {
  const env = openPlace();
  for (const screen of screens) {
    const columns = Number(values.print ?? 92);
    screen.prepare?.();
    const output = shown(screen.args, columns, env);
    if (positionals.length > 0 && !positionals.includes(screen.name)) continue;
    const lines = linesOf(output);
    const typed = `tidegate ${screen.args.join(' ')}`;
    if (values.print === undefined) {
      mkdirSync(pictures, { recursive: true });
      writeFileSync(join(pictures, `${screen.name}.svg`), svgOf({ ...screen, typed, lines, columns }));
      console.log(`wrote docs/pictures/screens/${screen.name}.svg`);
    } else console.log(`\n$ ${typed}\n${output}`);
  }
} finally {
  rmSync(place, { recursive: true, force: true });
}

/** The examples are those of the test that holds them to their width and colours. */
function walk(folder) {
  const words = [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--project',
    'wire',
    'test/wire/screens.test.ts',
  ];
  const env = { ...process.env, TIDEGATE_SCREENS: folder };
  return spawnSync(process.execPath, words, { cwd: root, env, stdio: 'inherit' }).status ?? 1;
}

/** A workspace, a home, and `tidegate` as a command. */
function openPlace() {
  const [home, bin] = [join(place, 'home'), join(place, 'bin')];
  mkdirSync(home);
  mkdirSync(bin);
  cpSync(join(root, 'examples/demo/workspace'), join(place, 'tides'), { recursive: true });
  spawnSync('git', ['init', '-q', join(place, 'tides')]);
  // What somebody has who used an agent with a server before.
  const args = [join(root, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js'), '.'];
  const mcpServers = { files: { command: 'node', args } };
  writeFileSync(join(place, 'tides/.mcp.json'), JSON.stringify({ mcpServers }, undefined, 2));
  symlinkSync(program, join(bin, 'tidegate'));
  const path = `${bin}:${process.env.PATH}`;
  return { PATH: path, HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...noColour() };
}

/** An editor with a server of its own, and a key in clear text that is nobody's. */
function writeEditor() {
  mkdirSync(join(place, 'home/.cursor'));
  const env = { TIDES_API_KEY: 'sk-0123456789abcdef0123456789abcdef' };
  const mcpServers = { tides: { command: 'npx', args: ['-y', 'tides-mcp'], env } };
  writeFileSync(join(place, 'home/.cursor/mcp.json'), JSON.stringify({ mcpServers }, undefined, 2));
}

function noColour() {
  return process.env.NO_COLOR === undefined ? {} : { NO_COLOR: process.env.NO_COLOR };
}

function shown(args, columns, env) {
  const words = [join(root, 'scripts/screens/in_terminal.py'), String(columns), 'tidegate', ...args];
  const { stdout } = spawnSync('python3', words, { cwd: join(place, 'tides'), env, encoding: 'utf8' });
  return stdout.replaceAll('\r\n', '\n').replaceAll(place, '~').replaceAll(root, '~/tidegate/');
}
