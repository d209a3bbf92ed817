import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A separate home and workspace, and the server configured there. */
export interface AgentPlace {
  readonly home: string;
  readonly workspace: string;
  /** The server name: different each time, only letters and digits. */
  readonly serverName: string;
  readonly serverCommand: readonly [command: string, ...args: string[]];
  /** Writes a file below this folder and returns its path. */
  write(path: string, content: string): string;
  /** Messages that the server received, beginning with its start. */
  sentToServer(): readonly Readonly<Record<string, unknown>>[];
  /** All files in the workspace. */
  files(): readonly string[];
  close(): void;
}

const probe = fileURLToPath(new URL('probe-server.mjs', import.meta.url));

export function openAgentPlace(): AgentPlace {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-agent-'));
  const [home, workspace, log] = ['home', 'workspace', 'server.log'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [home, workspace]) mkdirSync(folder, { mode: 0o700 });
  writeFileSync(log, '');
  return {
    home,
    workspace,
    serverName: `probe${Math.random().toString(36).slice(2, 8)}`,
    serverCommand: [process.execPath, probe, log],
    write(path, content) {
      const file = join(directory, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    sentToServer: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>),
    files: () => readdirSync(workspace, { recursive: true }).map(String),
    close: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}
