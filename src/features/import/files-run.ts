import { homedir } from 'node:os';
import {
  type Environment,
  loadConfig,
  type NewServer,
  openSecrets,
  openTrust,
  ownName,
  stateDirectory,
} from '../../config/index.js';
import type { ServerStanding } from '../../config/started/index.js';
import type { NamedSecret } from './hide-secrets.js';
import type { Target } from '../../workspace/client-files/target.js';

export interface RunParts {
  /** The new text of tidegate.yaml. */
  readonly text: string;
  readonly target: Target;
  readonly added: readonly NewServer[];
  readonly secrets: readonly NamedSecret[];
  readonly options: { readonly cwd: string; readonly env: Environment };
}

/** Workspace files that the new servers run. A server that cannot be read yet needs `tidegate trust` later. */
export async function filesRun({
  text,
  target,
  added,
  secrets,
  options,
}: RunParts): Promise<readonly ServerStanding[]> {
  if (added.length === 0) return [];
  const { serverStanding, withLock } = await import('../../config/started/index.js');
  const { cwd, env } = options;
  const state = stateDirectory(env);
  const known = { ...Object.fromEntries(secrets.map(({ name, value }) => [name, value])), ...env };
  const { config } = await loadConfig({
    file: ownName(target.file),
    text,
    env: known,
    secrets: openSecrets(state),
    home: homedir(),
    ...(target.isOperators && { workspace: cwd }),
  });
  const names = new Set(added.map(({ name }) => name));
  return config.servers
    .filter(({ name }) => names.has(name))
    .map((server) => serverStanding(server, { config, env: known, trust: openTrust(state) }))
    .filter(({ isTrusted }) => !isTrusted)
    .map((standing) => withLock(standing));
}
