// Real plugin binaries, made with go-plugin, under the built gate. See README.md for where they come from.
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
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
  await attemptTogether(names);
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

/** Those that AWF shows as examples, in one workflow: a step type, an operation, a validator and a listener. */
async function attemptTogether(names) {
  const needed = ['database', 'echo', 'security-validator', 'event-logger'].map(
    (name) => `awf-plugin-${name}`,
  );
  const missing = needed.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    console.log(`SKIPPED: a workflow with all of them: ${missing.join(', ')} not there`);
    total.skipped += 1;
    return;
  }
  const home = mkdtempSync(join(tmpdir(), 'tidegate-awf-'));
  const env = { PATH: process.env.PATH, HOME: home, TIDEGATE_HOME: join(home, 'state') };
  const run = (...args) =>
    promisify(execFile)(process.execPath, [program, ...args], { cwd: home, env }).then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code, text: stdout + stderr }),
    );
  try {
    mkdirSync(join(home, '.awf', 'workflows'), { recursive: true });
    for (const name of needed)
      cpSync(join(given, name), join(home, '.awf', 'plugins', name), { recursive: true });
    await run('plugin', 'trust', '--yes');
    writeWorkflow(home, 'leaky', 'echo password=hunter2hunter2');
    const refused = await run('validate', 'leaky');
    if (refused.code === 0 || !refused.text.includes('security-validator:'))
      throw new Error(`the validator did not object: ${refused.text}`);
    writeWorkflow(home, 'plain', 'exit 3');
    const failed = await run('run', 'plain');
    for (const done of ['ok fetch', 'ok say', 'failed shell'])
      if (!failed.text.includes(done)) throw new Error(`no "${done}": ${failed.text}`);
    const events = readFileSync(join(home, '.awf', 'logs', 'event-logger.log'), 'utf8')
      .trim()
      .split('\n');
    const last = events.at(-1) ?? '';
    if (!/workflow\.failed .*"workflow_id":/.test(last)) throw new Error(`the last event is ${last}`);
    console.log(`ok   all in one workflow: ${events.length} events, the last one is workflow.failed`);
    total.passed += 1;
  } catch (error) {
    console.log(`FAIL all in one workflow: ${error.message}`);
    total.failed += 1;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function writeWorkflow(home, name, command) {
  const ways = (next) => ({ on_success: next, on_failure: 'lost', timeout: 10 });
  const states = {
    initial: 'fetch',
    fetch: { type: 'database.query', config: { connection: 'x', query: 'SELECT 1' }, ...ways('say') },
    say: {
      type: 'operation',
      operation: 'echo.echo',
      inputs: { text: '{{.states.fetch.Output}}' },
      ...ways('shell'),
    },
    shell: { type: 'step', command, ...ways('done') },
    done: { type: 'terminal' },
    lost: { type: 'terminal', status: 'failure' },
  };
  const file = join(home, '.awf', 'workflows', `${name}.yaml`);
  writeFileSync(file, JSON.stringify({ name, version: '1.0.0', states }));
}
