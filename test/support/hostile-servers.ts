import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

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

export function spawnFixture(file: string, ...args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [fixture(file), ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
}

function fixture(file: string): string {
  return fileURLToPath(new URL(`../fixtures/servers/${file}`, import.meta.url));
}
