// `node scripts/screens.mjs [name …]`: redraws the terminal pictures in the docs, from the built program in a workspace
// with one server and an empty home. `--print COLUMNS` prints the screens as text instead. `--walk FOLDER` saves the
// output of every command in that folder: at 80 and 200 columns, without colors, and in a pipe.
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
/** The pictures and their commands. Later pictures depend on the effects of earlier ones. */
const screens = [
  {
    name: 'init',
    title: 'tidegate init examines the machine and writes tidegate.yaml',
    args: ['init', '--yes'],
  },
  { name: 'doctor', title: 'tidegate doctor checks everything and suggests commands', args: ['doctor'] },
  { name: 'tools-cost', title: 'tidegate tools cost shows the token cost of tools', args: ['tools', 'cost'] },
  {
    name: 'explain',
    title: 'tidegate explain describes an error code',
    args: ['explain', 'provider.untrusted'],
  },
  {
    name: 'import',
    title: 'tidegate import shows all changes before it writes them',
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

/** Uses the examples of the test that checks their width and colors. */
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
  // The files of a user who has already configured a server in an agent.
  const args = [join(root, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js'), '.'];
  const mcpServers = { files: { command: 'node', args } };
  writeFileSync(join(place, 'tides/.mcp.json'), JSON.stringify({ mcpServers }, undefined, 2));
  symlinkSync(program, join(bin, 'tidegate'));
  const path = `${bin}:${process.env.PATH}`;
  return { PATH: path, HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...noColour() };
}

/** An editor that has its own server, with a made-up key in plain text. */
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
