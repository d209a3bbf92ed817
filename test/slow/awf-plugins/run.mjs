// Real plugin binaries, made with go-plugin, under the built gate. See README.md for where they come from.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const program = fileURLToPath(new URL('../../../dist/tidegate.js', import.meta.url));
const given = process.env.AWF_PLUGIN_FOLDERS;
const total = { passed: 0, failed: 0, skipped: 0 };

if (given === undefined) {
  console.log(
    'SKIPPED: no real AWF plugins were tried. Set AWF_PLUGIN_FOLDERS to a folder that holds built ones.',
  );
  total.skipped += 1;
} else {
  const names = readdirSync(given).filter((name) => existsSync(join(given, name, 'plugin.yaml')));
  for (const name of names) await attempt(name);
  if (names.length === 0) {
    console.log(`FAIL no plugin in ${given}`);
    total.failed += 1;
  }
}
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
if (total.failed > 0) process.exitCode = 1;

async function attempt(name) {
  const home = mkdtempSync(join(tmpdir(), 'tidegate-awf-'));
  const env = { PATH: process.env.PATH, HOME: home, TIDEGATE_HOME: join(home, 'state') };
  const run = async (...args) =>
    (await promisify(execFile)(process.execPath, [program, ...args], { cwd: home, env })).stdout;
  try {
    mkdirSync(join(home, '.awf', 'plugins'), { recursive: true });
    cpSync(join(given, name), join(home, '.awf', 'plugins', name), { recursive: true });
    const plugin =
      /^name:\s*["']?([\w-]+)/m.exec(readFileSync(join(given, name, 'plugin.yaml'), 'utf8'))?.[1] ?? name;
    await run('plugin', 'trust', plugin, '--yes');
    const { state, operations, stepTypes, capabilities } = JSON.parse(
      await run('plugin', 'show', plugin, '--json'),
    );
    const lists = `${operations.length} operations, ${stepTypes.length} step types`;
    if (capabilities.includes('operations') && operations.length === 0)
      throw new Error(`it lists none: ${state}`);
    if (operations.some((one) => one.name === 'echo')) {
      const called = JSON.parse(await run('plugin', 'call', plugin, 'echo', 'text=hello', '--json'));
      if (!JSON.stringify(called.structuredContent).includes('hello'))
        throw new Error(JSON.stringify(called));
    }
    if (readdirSync(join(home, 'state', 'sockets')).length > 0) throw new Error('it left a socket');
    console.log(`ok   ${name}: ${lists}`);
    total.passed += 1;
  } catch (error) {
    console.log(`FAIL ${name}: ${error.message} ${error.stdout ?? ''}`);
    total.failed += 1;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
