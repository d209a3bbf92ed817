import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A `servers` entry, as it stands in a configuration file. */
export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
}

/** The server whose every word carries its caller's mark. */
export function markedServer(...args: readonly string[]): ServerEntry {
  return nodeServer('marked-server.mjs', ...args);
}

export function nodeServer(file: string, ...args: readonly string[]): ServerEntry {
  return { command: process.execPath, args: [fixture(file), ...args] };
}

/** The official SDK's stdio transport with nothing around it, as a control. */
export function sdkServer(): ChildProcessWithoutNullStreams {
  return spawnFixture('sdk-server.mjs');
}

/** Starts a fixture by itself, for one test: it is gone after it, however the test ends. */
export function spawnFixture(file: string, ...args: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [fixture(file), ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

function fixture(file: string): string {
  return fileURLToPath(new URL(`../fixtures/servers/${file}`, import.meta.url));
}
