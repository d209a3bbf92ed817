import type { Principal, Provider } from '../core/index.js';
import type { Gateway } from '../gateway/index.js';
import type { Log } from '../ports/log.js';
import type { OpenedAccess } from '../workspace/access/open-access.js';
import { logPolicyWarnings } from '../workspace/access/policy-warnings.js';
import { knownCatalogue } from '../workspace/known-catalogue.js';
import { openLiveConfig } from './live-config.js';
import type { Providers } from './open-providers.js';
import type { Start } from './read-start.js';

export interface FollowParts {
  readonly gateway: Gateway;
  readonly providers: Providers;
  readonly access: OpenedAccess;
  readonly operator: Principal;
  readonly logCollisions: () => void;
  readonly idlePatterns: () => readonly string[];
  readonly log: Log;
}

/** For a gateway that serves: watches files for changes, and logs warnings once the tools are known. */
export function followChanges(start: Start, parts: FollowParts): { close(): void } {
  const { gateway, providers, access, operator, log } = parts;
  const { place, state, located, options } = start;
  const live = openLiveConfig({
    place,
    state,
    gateway,
    servers: providers.servers,
    local: providers.local,
    everyProvider: providers.all,
    first: located,
    applyAccess: ({ config }) => access.live.apply(config),
    log,
  });
  providers.local.follow();
  providers.plugins.follow(() => gateway.registry.replace(providers.all()));
  const listed = whenListed(gateway, providers);
  void listed.then(parts.logCollisions);
  if (options.toolPatterns) void listed.then(() => parts.idlePatterns().forEach((line) => log('warn', line)));
  void logPolicyWarnings({
    opened: access,
    tools: () => knownCatalogue(gateway, operator).specs.filter((spec) => spec.kind === 'tool'),
    listed: () => whenListed(gateway, providers),
    log,
  });
  return live;
}

/** Starts no server: waits until another caller makes unknown servers list their tools. */
async function whenListed(gateway: Gateway, providers: Providers): Promise<void> {
  const isKnown = (provider: Provider): boolean =>
    provider.list().tools.length > 0 || !['idle', 'pending'].includes(provider.status().state);
  if (!providers.all().every(isKnown)) await gateway.registry.firstListed();
}
