import { messageOf } from '../lib/error-message.js';
import type { Config } from '../config/index.js';
import type { Gateway, ProviderReport } from '../gateway/index.js';
import type { Attempt, ToolSpec } from '../core/index.js';
import type { Catalog } from '../ports/catalog.js';
import type { Log } from '../ports/log.js';
import type { PortService } from '../ports/tool-ports.js';
import {
  type ActiveTools,
  type CatalogParts,
  createLazyExposure,
  type Rank,
  serverOf,
  type ServerReport,
  type Exposure,
  type ExposureSettings,
} from '../exposure/index.js';
import { createForeignCheck, type ForeignCheck } from './foreign-check.js';

export interface ExposureParts {
  readonly config: Config;
  readonly gateway: () => Gateway;
  readonly log: Log;
}

/** The tools that clients see, and tool search for the others. */
export interface OpenedExposure {
  readonly exposure: Exposure & ActiveTools;
  readonly settings: ExposureSettings;
  /** Tools with search hints in the configuration. */
  readonly hinted: readonly string[];
  readonly catalog: PortService<Catalog>;
  readonly checkArguments: ForeignCheck;
  /** Trace attributes about the tools shown to the caller. */
  factsOf(attempt: Attempt): Readonly<Record<string, number>>;
}

export function openExposure({ config, gateway, log }: ExposureParts): OpenedExposure {
  const settings = settingsOf(config);
  const exposure = createLazyExposure({
    settings,
    log: (message, fields) => log('info', message, fields),
  });
  const { searchHints: hints, synonyms, embeddings } = config.context;
  let loading: Promise<Rank> | undefined;
  /** Loads the search index on first use: it is large, and most gateways do not search at startup. */
  const rank = (): Promise<Rank> => {
    loading ??= loadRanking().catch((error: unknown) => {
      loading = undefined;
      exposure.showEverything(messageOf(error));
      throw error;
    });
    return loading;
  };
  async function loadRanking(): Promise<Rank> {
    const { createRanking } = await import('../exposure/ranking.js');
    const embedder =
      embeddings && (await import('../services/embeddings/index.js')).createEmbedder(embeddings);
    const everyTool = (): readonly ToolSpec[] => gateway().registry.everyTool();
    return createRanking({ everyTool, hints, synonyms, ...(embedder && { embedder }) });
  }

  const parts = {
    exposure,
    limits: {
      maxCount: settings.maxActiveSchemas,
      maxTokens: settings.maxActiveTokens,
      holdMs: settings.holdMs,
    },
    refresh: (session) => gateway().registry.refresh(session),
    visible: (session) => gateway().registry.visibleTools(session),
    servers: (session) => gateway().registry.statusFor(session).filter(isServer).map(reportOf),
    instructionsOf: ({ source }) => gateway().registry.instructionsOf(source),
    rank,
    now: () => performance.now(),
  } satisfies CatalogParts;
  return {
    exposure,
    settings,
    hinted: Object.keys(hints),
    catalog: {
      readiness: () => ({ state: 'ready' }),
      serve: async (session) => (await import('../exposure/catalog.js')).createCatalog(parts, session),
      close: () => Promise.resolve(),
    },
    checkArguments: createForeignCheck({ warn: (message, fields) => log('warn', message, fields) }),
    factsOf({ session, client, wanted }) {
      if (wanted.kind !== 'tool') return {};
      const facts = exposure.facts(session, gateway().registry.visibleTools(session), client);
      if (facts === undefined) return {};
      const place = exposure.placeInSearch(session, wanted.name);
      return {
        'tools.deferred': facts.deferred,
        'tools.advertised_tokens': facts.advertisedTokens,
        'tools.avoided_tokens': facts.avoidedTokens,
        ...(place !== undefined && { 'search.hit_rank': place }),
      };
    },
  };
}

function settingsOf({ context, servers }: Config): ExposureSettings {
  return {
    ...context,
    holdMs: context.hold,
    clients: new Map(Object.entries(context.clients)),
    servers: new Map(servers.flatMap(({ name, isLazy }) => (isLazy === undefined ? [] : [[name, isLazy]]))),
  };
}

function isServer({ source }: ProviderReport): boolean {
  return source.startsWith('server:') || source.startsWith('plugin:');
}

const states = {
  ready: 'connected',
  idle: 'connected',
  pending: 'pending',
  login: 'needs_auth',
  failed: 'failed',
  stopped: 'failed',
  disabled: 'disabled',
  untrusted: 'disabled',
} as const satisfies Record<ProviderReport['state'], ServerReport['status']>;

function reportOf({ source, state, tools }: ProviderReport): ServerReport {
  // An idle server counts as connected if its tools are known.
  const isUnknown = state === 'idle' && tools === 0;
  const name = serverOf({ source });
  if (isUnknown) return { name, status: 'pending' };
  const status = states[state];
  return status === 'failed' ? { name, status, errorCode: 'provider.unavailable' } : { name, status };
}
