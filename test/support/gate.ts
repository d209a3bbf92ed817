import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.js';

/** The program as it ships. */
export const program = fileURLToPath(new URL('../../dist/tidegate.js', import.meta.url));
export const fixtureServer = fileURLToPath(
  new URL('../fixtures/servers/conformance-server.mjs', import.meta.url),
);

/** A folder with a configuration and a state directory of its own: nothing of the user is touched. */
export interface Place {
  readonly directory: string;
  readonly configFile: string;
  readonly env: Readonly<Record<string, string>>;
  write(config: unknown): void;
  /** Runs a command of the program to its end. */
  run(...args: readonly string[]): {
    readonly status: number;
    readonly stdout: string;
    readonly stderr: string;
  };
  trust(): void;
  close(): void;
}

export function openPlace(config: unknown, more: { readonly trusted?: boolean } = {}): Place {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-test-'));
  const home = join(directory, 'home');
  const workspace = join(directory, 'workspace');
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(workspace);
  const configFile = join(workspace, 'tidegate.yaml');
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, TIDEGATE_HOME: join(home, 'state') };
  const place: Place = {
    directory,
    configFile,
    env,
    // JSON is YAML.
    write: (next) => writeFileSync(configFile, JSON.stringify(withoutBuiltins(next), undefined, 2)),
    run: (...args) => runProgram(args, workspace, env),
    trust() {
      const { status, stderr } = place.run('trust', '--yes', configFile);
      if (status !== 0) throw new Error(`trust failed: ${stderr}`);
    },
    close: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
  place.write(config);
  if (more.trusted !== false) place.trust();
  return place;
}

/** Most suites are about servers: our own tools are offered only where a suite asks for them. */
function withoutBuiltins(config: unknown): unknown {
  const isObject = typeof config === 'object' && config !== null && !Array.isArray(config);
  return isObject ? { builtins: [], ...config } : config;
}

function runProgram(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): { status: number; stdout: string; stderr: string } {
  try {
    const stdout = execFileSync(process.execPath, [program, ...args], {
      cwd,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
    });
    return { status: 0, stdout, stderr: '' };
  } catch (error) {
    const failed = error as { readonly status?: number; readonly stdout?: string; readonly stderr?: string };
    return { status: failed.status ?? -1, stdout: failed.stdout ?? '', stderr: failed.stderr ?? '' };
  }
}

/** Starts `tidegate mcp` with pipes, for tests that speak the wire themselves. */
export function spawnStdioGate(place: Place, ...args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program, 'mcp', '--config', place.configFile, ...args], {
    cwd: join(place.directory, 'workspace'),
    env: place.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

export interface HttpGate {
  readonly url: string;
  readonly base: string;
  readonly child: ChildProcessWithoutNullStreams;
  /** The end of what it wrote to stderr. */
  said(): string;
  close(): Promise<void>;
}

/** Starts `tidegate serve` on a free port and waits until it answers. */
export async function openHttpGate(place: Place, ...args: readonly string[]): Promise<HttpGate> {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [program, 'serve', '--config', place.configFile, '--port', String(port), ...args],
    { cwd: join(place.directory, 'workspace'), env: place.env, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  let said = '';
  child.stderr.on('data', (part: Buffer) => {
    said = (said + part.toString()).slice(-100_000);
  });
  child.stdout.resume();
  const base = `http://127.0.0.1:${String(port)}`;
  await waitFor(
    async () => (await fetch(`${base}/healthz`)).ok,
    20_000,
    () => `serve did not start: ${said}`,
  );
  return { base, url: `${base}/mcp`, child, said: () => said, close: () => endProcess(child) };
}

/** Ends a child as a user would, and waits until it is gone. */
export async function endProcess(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

/** Asks again and again until the answer is yes, or says what went wrong. */
export async function waitFor(
  isTrue: () => boolean | Promise<boolean>,
  limitMs: number,
  complaint: () => string,
): Promise<void> {
  const until = performance.now() + limitMs;
  for (;;) {
    try {
      if (await isTrue()) return;
    } catch {
      // Not yet.
    }
    if (performance.now() > until) throw new Error(complaint());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
