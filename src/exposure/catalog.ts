import { isRecord } from '../lib/is-record.js';
import type {
  Catalog,
  FoundTool,
  SearchAnswer,
  SearchOptions,
  ServerInSight,
  ToolState,
} from '../ports/catalog.js';
import type { Session, ToolSpec, VisibleTools } from '../core/index.js';
import { type Activation, type ActivationSet, tokensIn } from './activation.js';
import { digestsOf } from './digest.js';
import { waitForServers } from './wait-for-servers.js';
import type { Rank, Ranked } from './ranking.js';
import type { ActiveTools } from './show.js';
import { isLeading, serverOf } from './split.js';

/** A server or plugin that a session may know about. */
export interface ServerReport {
  readonly name: string;
  readonly status: ServerInSight['status'];
  readonly errorCode?: string;
}

export interface CatalogParts {
  readonly exposure: ActiveTools;
  readonly limits: { readonly maxCount: number; readonly maxTokens: number; readonly holdMs: number };
  /** Refreshes the session's rights. Await it before reading anything. */
  refresh(session: Session): Promise<void> | undefined;
  visible(session: Session): VisibleTools;
  /** Servers of which the session can see, or could see, something. */
  servers(session: Session): readonly ServerReport[];
  /** The instructions of a tool's server. */
  instructionsOf(tool: ToolSpec): string | undefined;
  /** Loaded on the first search. */
  rank(): Promise<Rank>;
  now(): number;
}

/** The catalog of one session. */
export function createCatalog(parts: CatalogParts, session: Session): Catalog {
  const { exposure } = parts;

  function answerOf(
    options: SearchOptions,
    visible: VisibleTools,
    ranked: Ranked,
    relisted: boolean | undefined,
    activation: Activation | undefined,
  ): SearchAnswer {
    const { set, gone } = exposure.active(session, visible);
    const servers = inSight(parts, session, visible);
    const mode = exposure.mode(session, visible);
    const reason = reasonOf(ranked, servers, mode === 'eager', visible.list);
    return {
      mode,
      query: options.query,
      matches: ranked.hits.map((hit) => found(hit.tool, stateOf(hit.tool, visible, activation), hit)),
      evicted: activation?.evicted ?? [],
      notFound: ranked.notFound,
      gone,
      totalMatches: ranked.total,
      active: { count: set.entries.length, tokens: tokensIn(set.entries), ...roomOf(parts.limits) },
      servers,
      serverNotes: activation === undefined ? [] : notesFor(parts, session, activation, ranked),
      ...(reason !== undefined && { reason }),
      ...(relisted !== undefined && { relisted }),
      ...(mode === 'call_tool' && exposure.hasMissedList(session) && { stillActive: othersIn(set, ranked) }),
    };
  }

  function stateOf(tool: ToolSpec, visible: VisibleTools, activation: Activation | undefined): ToolState {
    if (exposure.mode(session, visible) === 'eager' || !exposure.isDeferrable(session, tool, visible))
      return 'always_active';
    if (activation?.activated.includes(tool.name) === true) return 'activated';
    const isActive = exposure.active(session, visible).set.entries.some(({ name }) => name === tool.name);
    return isActive ? 'already_active' : 'not_activated';
  }

  return {
    async search(options, caller) {
      await parts.refresh(session);
      const visible = parts.visible(session);
      const rank = await parts.rank();
      const ranked = await rank(options.query, visible.list.filter(isToBeFound), options.maxResults);
      const mode = exposure.mode(session, visible);
      if (!options.activate || mode === 'eager' || ranked.hits.length === 0)
        return answerOf(options, visible, ranked, undefined, undefined);
      const tools = ranked.hits.map(({ tool }) => tool);
      exposure.told(
        session,
        tools.map(({ name }) => name),
      );
      const activation = exposure.activate(session, tools, visible);
      // The client is notified at once; wait only if its list gets new tools.
      const isHeld = mode === 'list' && activation.activated.length > 0 && parts.limits.holdMs > 0;
      const relisted = isHeld ? await exposure.untilListed(session, caller) : undefined;
      return answerOf(options, visible, ranked, relisted, activation);
    },
    async servers() {
      await parts.refresh(session);
      return inSight(parts, session, parts.visible(session)).filter(({ tools }) => tools > 0);
    },
    describe(name) {
      const visible = parts.visible(session);
      const tool = visible.get(name);
      return tool && isToBeFound(tool) ? found(tool, stateOf(tool, visible, undefined)) : undefined;
    },
    wait: (names, timeoutMs, caller) =>
      waitForServers(() => inSight(parts, session, parts.visible(session)), names, {
        timeoutMs,
        caller,
        now: () => parts.now(),
      }),
  };
}

function inSight(parts: CatalogParts, session: Session, { list }: VisibleTools): readonly ServerInSight[] {
  const digests = new Map(digestsOf(list, 6).map(({ server, words }) => [server, words.join(', ')]));
  const counts = countByServer(list);
  return parts.servers(session).map((report) => ({
    ...report,
    tools: counts.get(report.name) ?? 0,
    digest: digests.get(report.name) ?? '',
  }));
}

/** Server notes that the session instructions omit are sent once, when a search finds the server's tools. */
function notesFor(
  parts: CatalogParts,
  session: Session,
  { activated }: Activation,
  { hits }: Ranked,
): SearchAnswer['serverNotes'] {
  const tools = hits.map(({ tool }) => tool).filter(({ name }) => activated.includes(name));
  return tools.flatMap((tool) => {
    const text = parts.exposure.isFirst(session, serverOf(tool)) ? parts.instructionsOf(tool) : undefined;
    return text === undefined ? [] : [{ server: serverOf(tool), text: cleaned(text) }];
  });
}

/** Discovery tools are not search results. */
function isToBeFound(tool: ToolSpec): boolean {
  return !isLeading(tool) && tool.reach === undefined;
}

function roomOf({ maxCount, maxTokens }: CatalogParts['limits']): {
  readonly maxCount: number;
  readonly maxTokens: number;
} {
  return { maxCount, maxTokens };
}

function reasonOf(
  { kind, hits }: Ranked,
  servers: readonly ServerInSight[],
  isEager: boolean,
  visible: readonly ToolSpec[],
): SearchAnswer['reason'] {
  if (kind === 'empty') return 'empty_query';
  if (hits.length > 0) return isEager ? 'nothing_deferred' : undefined;
  if (servers.some(({ status }) => status === 'pending')) return 'servers_pending';
  return servers.length === 0 && !visible.some(isToBeFound) ? 'no_servers' : 'no_match';
}

/** Active tools that were not part of this result. */
function othersIn({ entries }: ActivationSet, { hits }: Ranked): readonly string[] {
  const found = new Set(hits.map(({ tool }) => tool.name));
  return entries.map(({ name }) => name).filter((name) => !found.has(name));
}

function countByServer(tools: readonly ToolSpec[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const tool of tools) counts.set(serverOf(tool), (counts.get(serverOf(tool)) ?? 0) + 1);
  return counts;
}

/** Longer descriptions are cut, because a search returns several; clients cut them too. */
const longest = 2048;

function found(tool: ToolSpec, state: ToolState, hit?: Pick<FoundTool, 'score' | 'confidence'>): FoundTool {
  const { title, description, inputSchema, annotations } = tool.definition.value as {
    readonly title?: unknown;
    readonly description?: unknown;
    readonly inputSchema?: unknown;
    readonly annotations?: unknown;
  };
  return {
    name: tool.name,
    server: serverOf(tool),
    ...(typeof title === 'string' && { title: cleaned(title) }),
    description: typeof description === 'string' ? cleaned(description) : '',
    inputSchema: isRecord(inputSchema) ? cleanedSchema(inputSchema) : {},
    ...(isRecord(annotations) && { annotations }),
    state,
    ...(hit?.score !== undefined && { score: hit.score }),
    ...(hit?.confidence !== undefined && { confidence: hit.confidence }),
  };
}

/** In valid JSON such characters occur only inside strings. An escaped backslash is skipped: the `u0001` after it is text. */
function cleanedSchema(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(schema);
  const plain = text.replace(/(\\[^u])|\\u00[01][\da-f]|\p{C}/gu, '$1');
  return plain === text ? schema : (JSON.parse(plain) as Readonly<Record<string, unknown>>);
}

/** Server text is untrusted: escape characters that could mislead a terminal or a reader. */
function cleaned(text: string): string {
  const plain = text.replace(/[^\P{C}\n\t]/gu, '');
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
}
