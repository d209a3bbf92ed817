import type { Config } from '../config/index.js';
import type { Gateway, ProviderReport } from '../gateway/index.js';
import type { Attempt, Catalog, JsonText, PortService, ToolSpec } from '../kernel/index.js';
import { createArgumentCheck } from '../providers/local/index.js';
import {
  type ActiveTools,
  createLazySurface,
  serverOf,
  type Surface,
  type SurfaceSettings,
} from '../surface/index.js';
import type { CatalogParts, ServerReport } from '../surface/catalog.js';
import type { Rank } from '../surface/ranking.js';

export interface SurfaceParts {
  readonly config: Config;
  readonly gateway: () => Gateway;
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** What a gate shows of its tools, and how others are found. */
export interface OpenedSurface {
  readonly surface: Surface & ActiveTools;
  readonly settings: SurfaceSettings;
  /** The tools that the operator has given words of his own. */
  readonly hinted: readonly string[];
  readonly catalog: PortService<Catalog>;
  checkArguments(tool: ToolSpec, params: JsonText): readonly string[];
  /** What a trace says about the tools that were shown to whoever called. */
  factsOf(attempt: Attempt): Readonly<Record<string, number>>;
}

export function openSurface({ config, gateway, log }: SurfaceParts): OpenedSurface {
  const settings = settingsOf(config);
  const surface = createLazySurface({ settings, log });
  const { searchHints: hints, synonyms, embeddings } = config.surface;
  let loading: Promise<Rank> | undefined;
  /** The index and its words are most of what a search needs, and few gates are ever searched at their start. */
  const rank = (): Promise<Rank> => {
    loading ??= loadRanking().catch((error: unknown) => {
      loading = undefined;
      surface.showEverything(error instanceof Error ? error.message : String(error));
      throw error;
    });
    return loading;
  };
  async function loadRanking(): Promise<Rank> {
    const { createRanking } = await import('../surface/ranking.js');
    const embedder =
      embeddings && (await import('../services/embeddings/index.js')).createEmbedder(embeddings);
    const everyTool = (): readonly ToolSpec[] => gateway().everyTool();
    return createRanking({ everyTool, hints, synonyms, ...(embedder && { embedder }) });
  }

  const parts = {
    surface,
    limits: {
      maxCount: settings.maxActiveSchemas,
      maxTokens: settings.maxActiveTokens,
      holdMs: settings.holdMs,
    },
    refresh: (session) => gateway().refresh(session),
    visible: (session) => gateway().visibleTools(session),
    servers: (session) => gateway().statusFor(session).filter(isServer).map(reportOf),
    wordsOf: ({ source }) => gateway().wordsOf(source),
    rank,
    now: () => performance.now(),
  } satisfies CatalogParts;
  return {
    surface,
    settings,
    hinted: Object.keys(hints),
    catalog: {
      readiness: () => ({ state: 'ready' }),
      serve: async (session) => (await import('../surface/catalog.js')).createCatalog(parts, session),
      close: () => Promise.resolve(),
    },
    checkArguments: createForeignCheck(),
    factsOf({ request: { session, client, wanted } }) {
      if (wanted.kind !== 'tool') return {};
      const facts = surface.facts(session, gateway().visibleTools(session), client);
      if (facts === undefined) return {};
      const place = surface.placeInSearch(session, wanted.name);
      return {
        'tools.deferred': facts.deferred,
        'tools.advertised_tokens': facts.advertisedTokens,
        'tools.avoided_tokens': facts.avoidedTokens,
        ...(place !== undefined && { 'search.hit_rank': place }),
      };
    },
  };
}

function settingsOf({ surface, servers }: Config): SurfaceSettings {
  return {
    ...surface,
    holdMs: surface.hold,
    clients: new Map(Object.entries(surface.clients)),
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
  // One that was never asked is as good as there when it is known what it has.
  const isUnknown = state === 'idle' && tools === 0;
  const name = serverOf({ source });
  if (isUnknown) return { name, status: 'pending' };
  const status = states[state];
  return status === 'failed' ? { name, status, errorCode: 'provider.unavailable' } : { name, status };
}

/** Words of a schema whose check somebody else's pattern or data can make to take for ever. The server checks them. */
const costly: ReadonlySet<string> = new Set(['pattern', 'patternProperties', 'uniqueItems', 'format']);
/** Members whose own members are names, and not words of the schema language. */
const named: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
/** Nothing is checked in arguments that are longer. */
const longestArguments = 256 * 1024;

function loosened(schema: unknown, isNames = false): unknown {
  if (Array.isArray(schema)) return schema.map((part) => loosened(part));
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([word]) => isNames || !costly.has(word));
  // What an enum or a default holds is data.
  return Object.fromEntries(
    entries.map(([word, value]) => [
      word,
      !isNames && (word === 'enum' || word === 'const' || word === 'default')
        ? value
        : loosened(value, !isNames && named.has(word)),
    ]),
  );
}

/** The server is the judge of its arguments: what we cannot judge is none of our business. */
function createForeignCheck(): OpenedSurface['checkArguments'] {
  const checks = new WeakMap<JsonText, (value: unknown) => readonly string[]>();
  return ({ definition, source }, params) => {
    if (source === 'builtin' || source === 'workspace' || params.text.length > longestArguments) return [];
    try {
      const { inputSchema } = definition.value as { readonly inputSchema?: unknown };
      if (typeof inputSchema !== 'object' || inputSchema === null) return [];
      let check = checks.get(definition);
      if (check === undefined)
        checks.set(
          definition,
          (check = createArgumentCheck(loosened(inputSchema) as Readonly<Record<string, unknown>>)),
        );
      return check((params.value as { readonly arguments?: unknown }).arguments ?? {});
    } catch {
      return [];
    }
  };
}
