import { dirname, join } from 'node:path';
import type { Authorizer } from '../../access/authorizer/index.js';
import type { Credentials } from '../../access/tokens/index.js';
import type { AccessStore } from '../../access/ports/index.js';
import { type Config, hasErrors, type Trust } from '../../config/index.js';
import { unknownProfile } from '../access-refused.js';
import { ConfigRefused } from '../config-refused.js';
import type { OpenPolicy } from './open-policy.js';

export interface RightsParts {
  readonly config: Config;
  readonly stateDirectory: string;
  /** The folder of profiles if there is no configuration file. */
  readonly workspace: string;
  readonly trust: Trust;
  /** Whether to watch files while the gateway runs. */
  readonly isLive: boolean;
  /** Limits every session to this profile. */
  readonly profile?: string;
  readonly log: (
    level: 'warn' | 'info' | 'error',
    message: string,
    fields?: Readonly<Record<string, unknown>>,
  ) => void;
}

export interface Rights {
  readonly authorizer: Authorizer;
  readonly credentials: Credentials;
  readonly policy: OpenPolicy;
  close(): Promise<void>;
}

/** Opens the authorizer for callers other than the operator. None of its code is loaded before. */
export async function openRights(parts: RightsParts, open: () => Promise<AccessStore>): Promise<Rights> {
  const store = await open();
  const { zone } = parts.config.access;
  const [{ openAuthorizer }, { openCredentials }, { loadConditions }, { openPolicy }] = await Promise.all([
    import('../../access/authorizer/index.js'),
    import('../../access/tokens/index.js'),
    import('../../access/engine/index.js'),
    import('./open-policy.js'),
  ]);
  const { profile, config } = parts;
  const policy = await openPolicy({
    place: {
      directory: config.file === undefined ? parts.workspace : dirname(config.file),
      access: config.access,
      trust: parts.trust,
      ...(config.file !== undefined && { configFile: config.file }),
    },
    ...(profile !== undefined && { profile }),
    isLive: parts.isLive,
    trustFile: join(parts.stateDirectory, 'trust.json'),
    log: parts.log,
  });
  if (hasErrors(policy.problems)) throw new ConfigRefused(policy.problems);
  if (profile !== undefined) requireProfile(profile, policy);
  const now = (): number => Date.now();
  const credentials = openCredentials({
    store,
    zone,
    now,
    log: (message, fields) => parts.log('warn', message, fields),
  });
  const authorizer = openAuthorizer({
    store,
    zone,
    model: policy.model,
    conditions: await loadConditions(policy.model),
    policy: policy.current(),
    isAlive: (tokenId) => credentials.isAlive(tokenId),
    confirm: (tokenId, head) => credentials.check(tokenId, head),
    now,
    log: parts.log,
  });
  policy.onChange((next) => authorizer.setPolicy(next));
  await authorizer.refresh();
  return {
    authorizer,
    credentials,
    policy,
    async close() {
      policy.close();
      authorizer.close();
      await credentials.close();
    },
  };
}

function requireProfile(profile: string, policy: OpenPolicy): void {
  const { names } = policy.current();
  if (names.has(profile)) return;
  const unused = policy.untrusted().map((file) => ` ${file} is ignored because it is not trusted.`);
  throw unknownProfile(profile, names, unused.join(''));
}
