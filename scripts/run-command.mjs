import { spawn } from 'node:child_process';

const graceMs = 2_000;
const running = new Set();

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    for (const child of running) end(child, 'SIGKILL');
    process.exit(1);
  });
}

/**
 * Runs a command in its own process group and returns { code, output, ms }. At the time limit, the whole group is ended.
 * `show` also prints the output while it runs.
 */
export function runCommand(command, args, { cwd, env, limitMs = 600_000, show = false } = {}) {
  const started = performance.now();
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const chunks = [];
    const finish = (code) => {
      clearTimeout(timer);
      running.delete(child);
      end(child, 'SIGKILL');
      done({ code, output: Buffer.concat(chunks).toString('utf8'), ms: performance.now() - started });
    };
    const say = (target) => (chunk) => {
      chunks.push(chunk);
      if (show) target.write(chunk);
    };
    const timer = setTimeout(() => {
      say(process.stderr)(Buffer.from(`\nended because it exceeded its time limit of ${limitMs / 1000} s\n`));
      end(child, 'SIGKILL');
    }, limitMs);
    running.add(child);
    child.stdout.on('data', say(process.stdout));
    child.stderr.on('data', say(process.stderr));
    child.on('error', (error) => {
      chunks.push(Buffer.from(String(error)));
      finish(1);
    });
    // A process that outlives the command may keep its output open, so don't wait for the output to end.
    child.on('exit', () => setTimeout(() => closeOutput(child), graceMs).unref());
    child.on('close', (code) => finish(code ?? 1));
  });
}

function closeOutput(child) {
  child.stdout.destroy();
  child.stderr.destroy();
}

function end(child, signal) {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // ESRCH: the group is already gone.
    if (error.code !== 'ESRCH') throw error;
  }
}
