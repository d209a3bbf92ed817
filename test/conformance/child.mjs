// Child processes with an owner: each has a time limit, and is ended by its own pid.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

const GRACE_MS = 5000;
const MOST_OUTPUT = 4 * 1024 * 1024;

/** Starts a process that runs until `close()`: TERM, a grace period, KILL. */
export function openChild(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const exited = once(child, 'exit').catch((error) => [error.message, undefined]);
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  void exited.then(() => process.off('exit', endWithUs));
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name]?.setEncoding('utf8').on('data', (text) => {
      output[name] = (output[name] + text).slice(-MOST_OUTPUT);
    });
  }
  return {
    output,
    exited,
    get isRunning() {
      return child.exitCode === null && child.signalCode === null && child.pid !== undefined;
    },
    async close() {
      if (!this.isRunning) return;
      child.kill('SIGTERM');
      await Promise.race([exited, pause(GRACE_MS, undefined, { ref: false })]);
      if (this.isRunning) child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Runs a process to its end. `code` is undefined when it had to be stopped at the time limit. */
export async function run(command, args, { timeoutMs, ...options }) {
  const child = openChild(command, args, options);
  const timer = new AbortController();
  const late = pause(timeoutMs, 'late', { signal: timer.signal }).catch(() => 'done');
  const first = await Promise.race([child.exited, late]);
  timer.abort();
  await child.close();
  const [code] = await child.exited;
  return { code: first === 'late' ? undefined : code, ...child.output };
}
