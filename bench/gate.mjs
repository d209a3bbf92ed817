// A Tidegate as a user would have it: configuration file, trust, log, token. Only its home is a temporary one.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const token = `tg_${'bench'.repeat(8)}`;

/** Prepares a gate with one upstream; `close` removes its files. */
export async function openGate(program, { echo, env = {} }) {
  const home = await mkdtemp(join(tmpdir(), 'tidegate-bench-'));
  const config = join(home, 'tidegate.yaml');
  const server = { command: process.execPath, args: [echo], env };
  // JSON is YAML.
  await writeFile(config, JSON.stringify({ servers: { bench: server } }, null, 2));
  await writeFile(join(home, 'token'), `${token}\n`, { mode: 0o600 });
  const environment = { TIDEGATE_HOME: home };
  await run(process.execPath, [program, 'trust', config, '--yes'], {
    env: { ...process.env, ...environment },
  });
  return {
    environment,
    authorization: `Authorization: Bearer ${token}`,
    stdio: [process.execPath, program, 'mcp', '--config', config],
    http: (port) => [process.execPath, program, 'serve', '--config', config, '--port', String(port)],
    close: () => rm(home, { recursive: true, force: true }),
  };
}
