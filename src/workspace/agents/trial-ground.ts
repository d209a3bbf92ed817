import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256Of } from '../../lib/sha256.js';
import { plantFiles, removeFolder, type TrialGround } from '../../agents/index.js';
import type { Environment } from '../../config/index.js';
import { isRunning } from '../../lib/is-running.js';
import { openState } from '../locate-config.js';
import type { Tidegate } from '../tidegate.js';
import { openAgentSockets } from './agent-sockets.js';
import { bareEnvironment } from './bare-environment.js';
import { programFile } from '../program-file.js';

const prefix = 'tidegate-trial-';

/** A temporary folder; if this process is killed, the next test removes it. */
export function openTrialFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), `${prefix}${String(process.pid)}-`)));
}

const named = /^tidegate-trial-\d+-/;

/** Removes folders of tests whose process has ended. */
export function sweepTrials(): void {
  for (const name of readdirSync(tmpdir()).filter((one) => named.test(one))) {
    const path = join(tmpdir(), name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    const isOurs = stats?.isDirectory() === true && stats.uid === (process.getuid?.() ?? stats.uid);
    if (isOurs && !isRunning(Number.parseInt(name.slice(prefix.length), 10))) removeFolder(path);
  }
}

/** A temporary home and workspace with a real gateway, for isolation tests. */
export async function openTrialGround(
  env: Environment,
  version: string,
  openGate: Tidegate['openBeside'],
): Promise<TrialGround> {
  const root = openTrialFolder();
  const folder = (name: string): string => {
    mkdirSync(join(root, name), { recursive: true, mode: 0o700 });
    return join(root, name);
  };
  const [home, workspace, files] = [folder('home'), folder('work'), folder('files')];
  const word = `word-${randomBytes(8).toString('hex')}`;
  writeFileSync(join(workspace, 'note.txt'), `${word}\n`);
  const own: Environment = { ...bareEnvironment(env, home), TIDEGATE_HOME: join(root, 'state') };
  const configFile = writeConfig(files, workspace, own);
  const tidegate = await openGate({ cwd: workspace, env: own, version, mode: 'command', configFile });
  const sockets = openAgentSockets(tidegate);
  const session = tidegate.localSession('connection');
  tidegate.exposure.exposure.prefer(session, { lazy: 'on', delivery: 'list' });
  return {
    workspace,
    planted: plantFiles(workspace, folder('planted')),
    tools: { file: 'note.txt', word, made: 'honest.txt', late: 'late_Glob' },
    parts: {
      processes: tidegate.processes,
      cwd: workspace,
      folder: files,
      keep: (name) => folder(join('keep', name)),
      userFile: () => undefined,
      openSocket: (order, verdict) => sockets.open(order, verdict),
    },
    order: {
      gateway: tidegate.gateway,
      session,
      env: own,
      newRequestId: () => tidegate.newRequestId(),
      version,
    },
    async close() {
      await sockets.close();
      await tidegate.close();
      removeFolder(root);
    },
  };
}

/** A gateway with built-in tools and one server whose tools must be searched. */
function writeConfig(folder: string, workspace: string, env: Environment): string {
  const behind = join(folder, 'behind.json');
  writeFileSync(
    behind,
    JSON.stringify({ builtins: ['Glob'], workspace: { roots: [workspace] }, store: { kind: 'memory' } }),
  );
  const file = join(folder, 'tidegate.json');
  const late = {
    command: process.execPath,
    args: [programFile, 'mcp', '--config', behind],
    env: { TIDEGATE_HOME: join(folder, 'behind') },
  };
  const text = JSON.stringify({
    workspace: { roots: [workspace] },
    servers: { late },
    exposure: { lazy: 'on', delivery: 'list' },
  });
  writeFileSync(file, text);
  openState(env).trust.record(file, sha256Of(text));
  return file;
}
