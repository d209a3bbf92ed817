import { type Client, matchesPattern, type Session, type ToolSpec } from '../../core/index.js';
import { JsonText } from '../../lib/json-text.js';
import type { ExposureMode } from '../../ports/catalog.js';
import type { Gateway } from '../../gateway/index.js';
import { fromWords } from '../../exposure/from-words.js';
import { type Counted, type CountTokens, openCounter } from '../../exposure/count-tokens.js';
import { liveSessions } from './live-sessions.js';
import type { OpenedExposure } from '../../workspace/open-exposure.js';
import { type LiveParts, sessionOf, type ContextSession } from './context-session.js';

export interface ServerCost {
  readonly server: string;
  readonly tools: number;
  readonly tokens: number;
  readonly deferred: number;
}

/** The tools a client would see now, their token cost, and the active tools of sessions. */
export interface ContextReport {
  readonly counted: Counted;
  readonly lazy: string;
  readonly mode: ExposureMode;
  readonly client?: string;
  readonly maxActive: number;
  readonly maxActiveTokens: number;
  readonly listed: { readonly tools: number; readonly tokens: number };
  readonly deferred: { readonly tools: number; readonly tokens: number };
  readonly servers: readonly ServerCost[];
  /** The client gets all tools because it defers them itself. */
  readonly defersItself: boolean;
  /** Pins and hints that match no tool. */
  readonly idle: readonly string[];
  readonly sessions: readonly ContextSession[];
}

export interface ReportParts {
  readonly gateway: Gateway;
  readonly opened: OpenedExposure;
  /** The session whose tools are reported. */
  readonly session: Session;
  readonly client?: string;
  /** Where other processes publish their active tools. */
  readonly live: LiveParts;
  /** Count with a tokenizer, which takes a second to load. */
  readonly isExact: boolean;
}

export async function contextReport(parts: ReportParts): Promise<ContextReport> {
  const { gateway, opened, session } = parts;
  const { counted, tool: count } = await openCounter(parts.isExact);
  const visible = gateway.registry.visibleTools(session);
  // A separate session id, so that the report does not change the state of a real session.
  const looking: Session = { ...session, id: `look/${session.id}` };
  const client = clientOf(parts.client ?? 'unknown');
  // Compare by name: a tool may be shown with a changed definition.
  const shown = new Set(opened.exposure.show(looking, visible, client).map(({ name }) => name));
  const mode = opened.exposure.mode(looking, visible);
  opened.exposure.forget(looking);
  const isShown = ({ name }: ToolSpec): boolean => shown.has(name);
  const existing = mode === 'eager' ? visible.list.filter(({ reach }) => reach !== 'open') : visible.list;
  const listed = existing.filter(isShown);
  const deferred = existing.filter((tool) => !isShown(tool));
  const { lazy, maxActiveSchemas, maxActiveTokens } = opened.settings;
  return {
    counted,
    lazy,
    mode,
    ...(parts.client !== undefined && { client: parts.client }),
    maxActive: maxActiveSchemas,
    maxActiveTokens,
    listed: { tools: listed.length, tokens: sum(listed, count) },
    deferred: { tools: deferred.length, tokens: sum(deferred, count) },
    defersItself: mode === 'eager' && opened.exposure.defersItself(looking, visible, client),
    idle: unusedSettings(opened, gateway.registry.everyTool()),
    servers: costs(existing, new Set(deferred), count),
    sessions: [...opened.exposure.sessions().map(sessionOf), ...(await liveSessions(parts.live))],
  };
}

function unusedSettings({ settings, hinted }: OpenedExposure, tools: readonly ToolSpec[]): readonly string[] {
  const isIdle = (pattern: string): boolean => !tools.some(({ name }) => matchesPattern(pattern, name));
  const names = new Set(tools.map(({ name }) => name));
  return [
    ...settings.pin.filter(isIdle).map((pattern) => `context.pin: ${pattern}`),
    ...hinted.filter((name) => !names.has(name)).map((name) => `context.search_hints: ${name}`),
  ];
}

function costs(
  tools: readonly ToolSpec[],
  deferred: ReadonlySet<ToolSpec>,
  count: CountTokens,
): readonly ServerCost[] {
  const servers = new Map<string, ToolSpec[]>();
  const fromOf = fromWords(tools);
  for (const tool of tools) servers.set(fromOf(tool), [...(servers.get(fromOf(tool)) ?? []), tool]);
  return [...servers]
    .map(([server, own]) => ({
      server,
      tools: own.length,
      tokens: sum(own, count),
      deferred: own.filter((tool) => deferred.has(tool)).length,
    }))
    .sort((a, b) => b.tokens - a.tokens || (a.server < b.server ? -1 : 1));
}

function sum(tools: readonly ToolSpec[], count: CountTokens): number {
  return tools.reduce((total, tool) => total + count(tool), 0);
}

/** A minimal client with this name. */
export function clientOf(name: string): Client {
  return {
    protocol: 'legacy',
    protocolVersion: '2025-11-25',
    info: JsonText.from({ name }),
    capabilities: JsonText.from({}),
  };
}
