import { join } from 'node:path';
import { describeProblem, hasErrors, watchConfig } from '../config/index.js';
import type { Gateway } from '../gateway/index.js';
import type { Provider } from '../kernel/index.js';
import type { LocalTools } from './local-tools.js';
import { type Located, locateConfig, type Place, type State } from './locate-config.js';
import type { ServerProviders } from './server-providers.js';

export interface LiveConfigParts {
  readonly place: Place;
  readonly state: State;
  readonly gateway: Gateway;
  readonly servers: ServerProviders;
  readonly local: LocalTools;
  /** In the order in which they are merged. */
  readonly everyProvider: () => readonly Provider[];
  readonly first: Located;
  readonly log: (
    level: 'info' | 'warn' | 'error',
    message: string,
    fields?: Readonly<Record<string, unknown>>,
  ) => void;
}

const firstLookMs = 1000;

/** Follows the configuration file and the trust record: servers come and go, sessions stay. */
export function openLiveConfig(parts: LiveConfigParts): { close(): void } {
  const { file, folder } = parts.first;
  if (file === undefined) return { close: () => {} };
  const place: Place = { ...parts.place, configFile: file, folder };
  let applied = parts.first;
  let running: Promise<void> = Promise.resolve();

  async function reload(): Promise<void> {
    const located = await locateConfig(place, parts.state.trust);
    if (stampOf(located) === stampOf(applied)) return;
    await stopIfRevoked(located);
    if (hasErrors(located.problems)) {
      const problems = located.problems.map(describeProblem);
      return parts.log('error', 'configuration not reloaded: it has errors', { file, problems });
    }
    if (located.isTrusted) {
      parts.log('info', 'configuration reloaded', { file, servers: located.config.servers.length });
      if (settingsOf(located) !== settingsOf(applied)) {
        parts.log('warn', 'changes of http, log, surface and telemetry take effect at the next start', {
          file,
        });
      }
      return apply(located);
    }
    parts.log('warn', 'configuration not reloaded: run `tidegate trust` to accept the change', { file });
  }

  /** What runs was trusted once; when that was taken back it may not run on, whatever the file says by now. */
  async function stopIfRevoked(located: Located): Promise<void> {
    const isRevoked = applied.isTrusted && !parts.state.trust.isTrusted(applied.file ?? '', applied.sha256);
    if (!isRevoked || located.isTrusted) return;
    parts.log('warn', 'the file is no longer trusted: its servers are stopped', { file });
    await apply({ ...applied, isTrusted: false });
  }

  async function apply(next: Located): Promise<void> {
    applied = next;
    const gone = parts.servers.apply(next.config, next.isTrusted);
    if (next.isTrusted) parts.local.apply(next.config);
    parts.gateway.replaceProviders(parts.everyProvider());
    void parts.gateway.settle();
    await Promise.all(gone.map((provider) => provider.close()));
  }

  const later = (): void => {
    running = running.then(reload).catch((error: unknown) => {
      parts.log('error', 'configuration not reloaded', { error: String(error) });
    });
  };
  const watches = [watchConfig(file, later), watchConfig(join(parts.state.directory, 'trust.json'), later)];
  // A change between the first reading and the first look would be seen by nobody.
  const firstLook = setTimeout(later, firstLookMs).unref();
  return {
    close() {
      clearTimeout(firstLook);
      for (const watch of watches) watch.close();
    },
  };
}

function stampOf(located: Located): string {
  return `${located.sha256 ?? ''}/${String(located.isTrusted)}`;
}

function settingsOf({ config: { http, log, surface, telemetry } }: Located): string {
  return JSON.stringify({ http, log, surface, telemetry });
}
