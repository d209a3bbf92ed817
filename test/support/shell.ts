import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange, Session } from '../../src/core/index.js';
import type { OwnPaths } from '../../src/ports/own-paths.js';
import type { PortService } from '../../src/ports/tool-ports.js';
import type { Processes } from '../../src/ports/processes.js';
import type { Shell, ShellCommand, ShellResult } from '../../src/ports/shell.js';
import { protectedPlaces as protectedPaths } from '../../src/services/files/index.js';
import { createOwnPaths } from '../../src/services/own-paths/index.js';
import { openProcesses } from '../../src/services/processes/index.js';
import { openShell } from '../../src/services/shell/index.js';
import { createFakeExchange } from '../../src/testing/index.js';

export { protectedPaths };
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export interface TestShell {
  readonly root: string;
  /** A folder beside the root, which is not part of the workspace. */
  readonly outside: string;
  readonly stateDir: string;
  readonly service: PortService<Shell>;
  readonly processes: Processes;
  readonly lines: readonly string[];
  as(sessionId: string): Promise<Shell>;
  run(command: string, more?: Partial<ShellCommand>, exchange?: Exchange): Promise<ShellResult>;
  close(): Promise<void>;
}

export interface TestShellOptions {
  /** `none`: a bwrap that does not work stands first in PATH. */
  readonly sandbox: 'bubblewrap' | 'none';
  readonly env?: Readonly<Record<string, string>>;
  readonly path?: (root: string) => string;
  /** Where everything lies; not below /tmp, which commands do not see as it is. */
  readonly parent?: string;
  readonly now?: () => number;
}

/** The service as the gate opens it, in a workspace of its own, with the real processes. */
export async function openTestShell(options: TestShellOptions): Promise<TestShell> {
  const base = realpathSync(mkdtempSync(join(options.parent ?? '/var/tmp', 'tidegate-shell-')));
  const [root, outside, stateDir] = ['workspace', 'outside', 'state'].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [join(root, '.git', 'hooks'), outside, stateDir])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, '.git', 'config'), '[core]\n');
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const processes = openProcesses({ stateDir, log });
  const path = options.path?.(root) ?? (options.sandbox === 'none' ? brokenPath(base) : systemPath);
  const service = openShell({
    roots: [root],
    stateDir,
    processes,
    env: { ...options.env, PATH: path },
    protectedPaths: () => protectedPaths,
    own: ownOf(root, stateDir),
    log,
    ...(options.now && { now: options.now }),
  });
  const as = async (id: string): Promise<Shell> => service.serve(sessionOf(id));
  return {
    root,
    outside,
    stateDir,
    service,
    processes,
    lines,
    as,
    run: async (command, more = {}, exchange = createFakeExchange()) =>
      (await as('session')).run({ command, timeoutMs: 20_000, ...more }, exchange),
    async close() {
      await service.close();
      await processes.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

const principal = { kind: 'user', id: 'tester', zone: 'local' } as const;

/** Of the operator: without a sandbox commands are run for no one else. */
export function sessionOf(id: string): Session {
  return { id, principal, scope: 'connection', chain: [{ principal, rights: 'all' }] };
}

/** What is Tidegate's own, as the assembly says where the configuration names nothing. */
export function ownOf(root: string, stateDir: string): OwnPaths {
  return createOwnPaths({ roots: [root], stateDir, files: [], governing: [], program: [] });
}

function brokenPath(base: string): string {
  const folder = join(base, 'bin');
  mkdirSync(folder);
  writeFileSync(join(folder, 'bwrap'), '#!/bin/sh\necho "no namespaces here" >&2\nexit 1\n');
  chmodSync(join(folder, 'bwrap'), 0o755);
  return `${folder}:${systemPath}`;
}
