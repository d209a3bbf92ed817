import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'tidegate-log-process-'));
const bundle = join(folder, 'log.cjs');

beforeAll(async () => {
  await build({
    entryPoints: [fileURLToPath(new URL('log.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: bundle,
    logLevel: 'error',
  });
});

describe('the log of a process that exits', () => {
  it.each([
    ['exits at once', 'process.exit(0)', 0],
    ['exits after the writer was loaded', 'setTimeout(() => process.exit(0), 150)', 0],
    ['exits without being stopped', '', 0],
    ['crashes', 'setTimeout(() => { throw new Error("boom") }, 150)', 1],
  ])('has every line when the process %s', async (_how, ending, code) => {
    const file = join(folder, `log-${String(Math.random()).slice(2)}`);
    const ended = await run(
      `const log = openLog({ level: 'info', stream: 'stderr', file: ${JSON.stringify(file)} });
       for (let i = 0; i < 500; i += 1) log.write('info', 'line', { i });
       ${ending}`,
      'read',
    );
    expect(ended.code).toBe(code);
    const numbers = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line): unknown => (JSON.parse(line) as { readonly i: unknown }).i);
    expect(numbers).toEqual(Array.from({ length: 500 }, (_, i) => i));
  });

  it('goes to stderr and never to stdout', async () => {
    const ended = await run(`openLog({ level: 'info', stream: 'stderr' }).write('info', 'hello')`, 'read');
    expect(ended.stdout).toBe('');
    expect(ended.stderr).toContain('"msg":"hello"');
  });

  it.each(['close', 'ignore'] as const)(
    'lets the process exit when it must %s its reader',
    async (reader) => {
      const flood = `const log = openLog({ level: 'info', stream: 'stderr' });
      const timer = setInterval(() => { for (let i = 0; i < 500; i += 1) log.write('info', 'x'.repeat(1000)) }, 5);
      setTimeout(() => { clearInterval(timer); log.write('info', 'last'); process.exit(7) }, 400);`;
      const ended = await run(flood, reader);
      expect(ended.code).toBe(7);
      expect(ended.peakMb).toBeLessThan(200);
    },
  );
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly peakMb: number;
}

/** Runs a script with `openLog`; its stderr is read, closed, or left to fill up. */
function run(script: string, reader: 'read' | 'close' | 'ignore'): Promise<Ended> {
  const report = `process.on('exit', () => require('node:fs').writeSync(3, String(process.resourceUsage().maxRSS)));`;
  const text = `const { openLog } = require(${JSON.stringify(bundle)}); ${report} ${script}`;
  const child = spawn(process.execPath, ['-e', text], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  const out = { stdout: '', stderr: '', peak: '' };
  child.stdout?.on('data', (chunk: Buffer) => (out.stdout += chunk.toString()));
  child.stdio[3]?.on('data', (chunk: Buffer) => (out.peak += chunk.toString()));
  if (reader === 'read') child.stderr?.on('data', (chunk: Buffer) => (out.stderr += chunk.toString()));
  if (reader === 'close') child.stderr?.destroy();
  const watchdog = setTimeout(() => child.kill('SIGKILL'), 10_000);
  return new Promise((resolve) => {
    child.on('exit', (code) => {
      clearTimeout(watchdog);
      child.stderr?.destroy();
      setImmediate(() =>
        resolve({ code, stdout: out.stdout, stderr: out.stderr, peakMb: Number(out.peak) / 1024 }),
      );
    });
  });
}
