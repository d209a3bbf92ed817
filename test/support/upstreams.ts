import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fixtureServer, waitFor } from './gate.js';

export type Protocol = 'legacy' | 'modern';
export type Wire = 'stdio' | 'http';

/** Every way to reach an upstream server. */
export const upstreamWays = [
  { wire: 'stdio', protocol: 'legacy' },
  { wire: 'stdio', protocol: 'modern' },
  { wire: 'http', protocol: 'legacy' },
  { wire: 'http', protocol: 'modern' },
] as const;

/** An upstream server, with the entry of `servers` that leads to it. */
export interface Upstream {
  readonly entry: Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

/** The conformance fixture; over stdio the gate starts it itself. */
export function openFixture(
  wire: Wire,
  protocol: Protocol,
  env: Readonly<Record<string, string>> = {},
): Promise<Upstream> {
  return openServer(fixtureServer, wire, { FIXTURE_ERA: protocol, ...env });
}

/** One answer of the scripted server. All texts are JSON and go out as they are. */
export interface Scripted {
  readonly result?: string;
  readonly error?: string;
  /** Questions by key, each the text of `{"method":…,"params":…}`. */
  readonly asks?: Readonly<Record<string, string>>;
  /** The text of the `requestState` that goes with the questions. */
  readonly state?: string;
  /** Whole notifications that precede the answer; `$TOKEN` stands for the progress token. */
  readonly notices?: readonly string[];
  readonly hangs?: boolean;
  readonly exits?: boolean;
}

export interface Script {
  readonly instructions?: string;
  readonly lists?: Readonly<Record<string, readonly string[]>>;
  /** By method, then by name, uri or reference. */
  readonly answers?: Readonly<Record<string, Readonly<Record<string, Scripted>>>>;
}

/** What the scripted server wrote down. */
export interface Heard {
  readonly kind: 'start' | 'message' | 'http' | 'cancelled' | 'ended' | 'closed';
  readonly text?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly id?: unknown;
  readonly pid?: number;
}

export interface ScriptedUpstream extends Upstream {
  heard(): readonly Heard[];
  /** The texts of the requests and notifications of one method. */
  heardOf(method: string): readonly string[];
}

const scriptedServer = fileURLToPath(new URL('../fixtures/servers/scripted-server.mjs', import.meta.url));

/** A server that says what the script says and writes down what it hears. */
export async function openScripted(
  wire: Wire,
  protocol: Protocol,
  script: Script,
  env: Readonly<Record<string, string>> = {},
): Promise<ScriptedUpstream> {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-scripted-'));
  const [scriptFile, recordFile] = [join(directory, 'script.json'), join(directory, 'record.jsonl')];
  writeFileSync(scriptFile, JSON.stringify(script));
  const all = { SCRIPT_FILE: scriptFile, RECORD_FILE: recordFile, SCRIPT_ERA: protocol, ...env };
  const server = await openServer(scriptedServer, wire, all);
  const entries: Heard[] = [];
  let read = 0;
  // The record only grows, and is long: only what is new is read.
  const heard = (): readonly Heard[] => {
    const bytes = existsSync(recordFile) ? readFileSync(recordFile).subarray(read) : Buffer.alloc(0);
    const whole = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
    read += whole.length;
    const lines = whole.toString('utf8').split('\n');
    entries.push(...lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Heard));
    return entries;
  };
  return {
    entry: server.entry,
    heard,
    heardOf: (method) =>
      heard().flatMap(({ kind, text }) =>
        kind === 'message' && text !== undefined && methodOf(text) === method ? [text] : [],
      ),
    async close() {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function methodOf(text: string): unknown {
  return (JSON.parse(text) as { readonly method?: unknown }).method;
}

async function openServer(
  file: string,
  wire: Wire,
  env: Readonly<Record<string, string>>,
): Promise<Upstream> {
  if (wire === 'stdio') {
    return { entry: { command: process.execPath, args: [file], env }, close: () => Promise.resolve() };
  }
  const child = spawn(process.execPath, [file, '--http', '0'], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // A test that fails before it closes anything leaves no process behind.
  const endWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  child.once('exit', () => process.off('exit', endWithUs));
  let said = '';
  child.stderr.on('data', (part: Buffer) => {
    said = (said + part.toString()).slice(-10_000);
  });
  await waitFor(
    () => /http:\S+\/mcp/.test(said),
    20_000,
    () => `the upstream did not start: ${said}`,
  );
  return { entry: { url: /http:\S+\/mcp/.exec(said)?.[0] }, close: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}
