// The cost of a start in CPU time, because wall time means little on a busy machine.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../scripts/run-command.mjs';
import { openClient } from './json-lines.mjs';
import { median } from './statistics.mjs';

const empty = fileURLToPath(new URL('empty.mjs', import.meta.url));

/**
 * Interleaved: bare Node, an empty script, and each gateway until tools/list is answered. CPU in milliseconds, one
 * result per gateway.
 */
export async function measureColdStarts(gates, rounds) {
  // Fills the caches that later starts use, and warms the disk cache.
  for (const gate of gates) await startGate(gate);
  const bare = [];
  const script = [];
  const starts = gates.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await wholeLife([process.execPath, '-e', '0']));
    script.push(await wholeLife([process.execPath, empty]));
    for (const [at, gate] of gates.entries()) starts[at].push(await startGate(gate));
  }
  return starts.map((own) => ({
    n: rounds,
    bare: median(bare),
    script: median(script),
    gate: median(own.map(({ cpuMs }) => cpuMs)),
    gateWallMs: median(own.map(({ wallMs }) => wallMs)),
  }));
}

async function startGate(gate) {
  const started = performance.now();
  const client = openClient(gate.stdio, gate.environment);
  await client.initialize();
  const { result } = await client.request('tools/list', {});
  const wallMs = performance.now() - started;
  const cpuMs = cpuOf(client.pid);
  await client.close();
  if (!result?.tools?.length) throw new Error('the gateway listed no tools');
  return { cpuMs, wallMs };
}

/** CPU time of all threads of a process so far. The file has nanoseconds, unlike the ticks in `stat`. */
function cpuOf(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const spent = threads.map((id) =>
    Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]),
  );
  return spent.reduce((sum, one) => sum + one, 0) / 1e6;
}

/** User and system time from start to exit, as the shell reports it. */
async function wholeLife(command) {
  const script = `TIMEFORMAT='cpu %3U %3S'; time ${command.join(' ')}`;
  const { output } = await runCommand('bash', ['-c', script]);
  const [, user, system] = /cpu ([\d.]+) ([\d.]+)/.exec(output.replaceAll(',', '.'));
  return (Number(user) + Number(system)) * 1000;
}
