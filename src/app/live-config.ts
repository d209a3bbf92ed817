import { join } from 'node:path';
import { describeProblem, hasErrors, watchConfig } from '../config/index.js';
import type { Gateway } from '../gateway/index.js';
import type { Provider } from '../core/index.js';
import type { LocalTools } from './local-tools.js';
import { type Governing, governingConfig } from '../workspace/governing-config.js';
import { inertConfig } from '../workspace/inert-config.js';
import type { Place, State } from '../workspace/locate-config.js';
import type { ServerProviders } from '../workspace/server-providers.js';

export interface LiveConfigParts {
  readonly place: Place;
  readonly state: State;
  readonly gateway: Gateway;
  readonly servers: ServerProviders;
  readonly local: LocalTools;
  /** All providers in merge order. */
  readonly everyProvider: () => readonly Provider[];
  readonly first: Governing;
  /** Applies access changes of the file. */
  readonly applyAccess: (next: Governing) => Promise<void>;
  readonly log: (
    level: 'info' | 'warn' | 'error',
    message: string,
    fields?: Readonly<Record<string, unknown>>,
  ) => void;
}

const firstLookMs = 1000;

/** Watches the configuration file and the trust record. Servers are added and removed; sessions stay open. */
export function openLiveConfig(parts: LiveConfigParts): { close(): void } {
  const { file, folder } = parts.first;
  if (file === undefined) return { close: () => {} };
  const place: Place = { ...parts.place, configFile: file, folder };
  let applied = parts.first;
  let running: Promise<void> = Promise.resolve();

  async function reload(): Promise<void> {
    const located = await governingConfig(place, parts.state.trust);
    if (stampOf(located) === stampOf(applied)) return retryUntrusted();
    await stopIfRevoked(located);
    if (hasErrors(located.problems)) {
      const problems = located.problems.map(describeProblem);
      return parts.log('error', 'configuration not reloaded: it has errors', { file, problems });
    }
    if (located.isTrusted) {
      const isChanged = settingsOf(located) !== settingsOf(applied);
      await apply(located);
      parts.log('info', 'configuration reloaded', { file, servers: located.config.servers.length });
      if (isChanged) {
        parts.log('warn', 'restart Tidegate to apply changes to http, log, context and telemetry', {
          file,
        });
      }
      return;
    }
    parts.log('warn', 'configuration not reloaded: run `tidegate trust` to accept the change', { file });
  }

  /** The files of a server may have been trusted meanwhile. */
  function retryUntrusted(): void {
    for (const provider of parts.servers.current())
      if (provider.status().state === 'untrusted') void provider.ready();
  }

  /** If trust was withdrawn, the running servers must stop, whatever the file says now. */
  async function stopIfRevoked(located: Governing): Promise<void> {
    const wasTrusted = applied.isTrusted || applied.isKept === true;
    const isRevoked = wasTrusted && !parts.state.trust.isTrusted(applied.file ?? '', applied.sha256);
    if (!isRevoked || located.isTrusted) return;
    parts.log('warn', 'the file is no longer trusted: its servers are stopped', { file });
    await apply({ ...applied, config: inertConfig(applied.config, parts.place.cwd), isTrusted: false });
  }

  async function apply(next: Governing): Promise<void> {
    applied = next;
    // Apply access first, so that no new tool is offered under old rights.
    await parts.applyAccess(next);
    const gone = parts.servers.apply(next.config, next.isTrusted);
    if (next.isTrusted) parts.local.apply(next.config);
    parts.gateway.registry.replace(parts.everyProvider());
    void parts.gateway.registry.settle();
    await Promise.all(gone.map((provider) => provider.close()));
  }

  const later = (): void => {
    running = running.then(reload).catch((error: unknown) => {
      parts.log('error', 'configuration not reloaded', { error: String(error) });
    });
  };
  const watches = [watchConfig(file, later), watchConfig(join(parts.state.directory, 'trust.json'), later)];
  // Catches a change between the first read and the start of watching.
  const firstLook = setTimeout(later, firstLookMs).unref();
  return {
    close() {
      clearTimeout(firstLook);
      for (const watch of watches) watch.close();
    },
  };
}

function stampOf({ sha256, isTrusted, isKept }: Governing): string {
  return `${sha256 ?? ''}/${String(isTrusted)}/${String(isKept === true)}`;
}

function settingsOf({ config: { http, log, context, telemetry } }: Governing): string {
  return JSON.stringify({ http, log, context, telemetry });
}
