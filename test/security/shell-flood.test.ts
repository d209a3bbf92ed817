import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import { hasProc } from '../support/proc.js';
import { protectedPaths, systemPath } from '../support/shell.js';
import { driveShell } from '../support/shell-driver.js';

const mib = 1024 * 1024;
const timeoutMs = 600_000;

describe.skipIf(!hasProc)('a command that floods its output', () => {
  let base: string;
  beforeEach(() => {
    base = realpathSync(mkdtempSync('/var/tmp/tidegate-flood-'));
    for (const name of ['workspace', 'state']) mkdirSync(join(base, name));
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  const drive = (...commands: readonly string[]) =>
    driveShell({
      root: join(base, 'workspace'),
      stateDir: join(base, 'state'),
      path: systemPath,
      protectedPaths,
      commands: ['seq 1 100000', ...commands].map((command) => ({ command, timeoutMs })),
    });

  it('uses at most 32 MB, and its result says that it is cut and where the beginning is', async () => {
    const gigabytes = count(10);
    const answers = await drive(`head -c ${gigabytes}G /dev/zero; echo; echo the end`);
    const [, flood] = answers;
    const { result, beforeBytes = 0, peakBytes = 0 } = flood ?? {};
    expect(result).toMatchObject({ exitCode: 0, truncated: true, isFileComplete: false, timedOut: false });
    expect(result?.bytes).toBe(gigabytes * 1024 * mib + 9);
    expect(result?.stdout.length).toBeLessThan(31_000);
    expect(result?.stdout).toMatch(/bytes left out, see \.tidegate\/output\/\w+\/bash-.*the end\n$/s);
    expect((peakBytes - beforeBytes) / mib).toBeLessThan(32);
    expect(statSync(join(base, 'workspace', result?.outputFile ?? '')).size).toBe(64 * mib);
  });

  it('is limited on stderr, on both streams, without line breaks, in single bytes, and with binary data', async () => {
    const floods = [
      'head -c 300M /dev/zero >&2',
      "head -c 200M /dev/zero | tr '\\0' x & head -c 200M /dev/zero | tr '\\0' y >&2; wait",
      'head -c 200M /dev/urandom',
      'awk \'BEGIN { for (n = 0; n < 300000; n++) { printf "x"; fflush() } }\'',
    ];
    const [, ...answers] = await drive(...floods);
    expect(answers).toHaveLength(floods.length);
    for (const { result, beforeBytes, peakBytes } of answers) {
      expect(result).toMatchObject({ exitCode: 0, truncated: true });
      expect(result.stdout.length + result.stderr.length).toBeLessThan(31_000);
      expect((peakBytes - beforeBytes) / mib).toBeLessThan(32);
    }
  });

  it('leaves only the reported files on disk', async () => {
    await drive('echo short');
    const folder = join(base, 'workspace', '.tidegate', 'output');
    const left = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
    expect(left.filter((name) => name.endsWith('.txt'))).toHaveLength(1);
    // What stays says that the sandbox worked.
    const kept = readdirSync(join(base, 'state', 'shell'));
    expect(kept.filter((name) => name !== 'sandbox-works')).toEqual([]);
  });

  it('control: buffering everything takes as much memory as there is output', async () => {
    const { execFile } = await import('node:child_process');
    const before = process.memoryUsage().rss;
    const output = await new Promise<Buffer>((resolve) => {
      execFile(
        'head',
        ['-c', '200M', '/dev/zero'],
        { encoding: 'buffer', maxBuffer: 500 * mib },
        (_error, stdout) => resolve(stdout),
      );
    });
    expect(output.length).toBe(200 * mib);
    expect((process.memoryUsage().rss - before) / mib).toBeGreaterThan(32);
  });
});
