// `node bench/shim/run.mjs [--rounds N] [--page]`: the startup cost of `tidegate mcp-serve`, as CPU from the start of the
// process until it exits at the end of its input, compared with bare Node in interleaved rounds.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sections } from '../sections.mjs';
import { median } from '../statistics.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const at = process.argv.indexOf('--rounds');
const rounds = at < 0 ? 41 : Number(process.argv[at + 1]);
const folder = mkdtempSync(join(tmpdir(), 'tidegate-shim-'));
const address = join(folder, 'gate');
const config = join(folder, 'door.json');
const answer = '{"jsonrpc":"2.0","id":1,"result":{}}\n';

/** A gateway that accepts every connection and answers one line. */
const gate = createServer((socket) => {
  socket.once('data', () => {
    socket.write('welcome\n');
    socket.once('data', () => socket.write(answer));
  });
  socket.on('error', () => undefined);
});

const arms = {
  'bare Node (`node -e 0`)': ['-e', '0'],
  'bare Node again (A/A)': ['-e', '0'],
  'an empty script': [join(root, 'bench', 'empty.mjs')],
  '`mcp-serve` as agents start it, one line in each direction': [
    join(root, 'dist', 'mcp-serve.cjs'),
    '--config',
    config,
  ],
  'the same as `tidegate mcp-serve`': [join(root, 'dist', 'tidegate.js'), 'mcp-serve', '--config', config],
};

/** CPU milliseconds of one process, as the system reports it for exited children. */
function life(args) {
  return new Promise((resolve, reject) => {
    // It is the only child of a small parent process, because the system sums the CPU of all children.
    const watch = spawn('bash', [
      '-c',
      'TIMEFORMAT="cpu %3U %3S"; time "$@"',
      'bash',
      process.execPath,
      ...args,
    ]);
    let said = '';
    watch.stderr.on('data', (chunk) => (said += chunk));
    watch.stdout.once('data', () => watch.stdin.end());
    watch.stdin.on('error', () => undefined);
    watch.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    watch.once('error', reject);
    watch.once('close', () => {
      const [, user, system] = /cpu ([\d.,]+) ([\d.,]+)/.exec(said) ?? [];
      if (user === undefined) return reject(new Error(said));
      resolve((Number(user.replace(',', '.')) + Number(system.replace(',', '.'))) * 1000);
    });
  });
}

try {
  writeFileSync(config, JSON.stringify({ address, ticket: 'x' }));
  await new Promise((resolve) => gate.listen(address, resolve));
  const spent = Object.fromEntries(Object.keys(arms).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const [name, args] of Object.entries(arms)) spent[name].push(await life(args));
  const [floor] = Object.values(spent).map(median);
  const rows = Object.entries(spent).map(([name, values]) => {
    const own = median(values);
    return `| ${name} | ${own.toFixed(0)} | ${(own / floor).toFixed(2)} |`;
  });
  const text = `CPU from start to exit, ${rounds} starts of each, interleaved, load ${loadavg()[0].toFixed(1)} at the end. \
Budget: 1.2 ×.

| | CPU ms | × bare Node |
|---|---|---|
${rows.join('\n')}`;
  console.log(text);
  if (process.argv.includes('--page')) {
    const page = join(root, 'docs', 'benchmarks.md');
    writeFileSync(page, sections.shim.into(readFileSync(page, 'utf8'), text));
  }
} finally {
  gate.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
