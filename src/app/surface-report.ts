import {
  type Client,
  JsonText,
  matchesPattern,
  principalKey,
  type Session,
  type SurfaceMode,
  type ToolSpec,
} from '../kernel/index.js';
import { type SessionView, tokensIn } from '../surface/index.js';
import type { Gateway } from '../gateway/index.js';
import { fromWords } from './from-words.js';
import { type Counted, type CountTokens, openCounter } from './cost/count-tokens.js';
import type { OpenedSurface } from './open-surface.js';

export interface ServerCost {
  readonly server: string;
  readonly tools: number;
  readonly tokens: number;
  readonly deferred: number;
}

export interface SurfaceSession {
  readonly session: string;
  readonly principal: string;
  readonly client?: string;
  readonly mode: SurfaceMode;
  readonly active: readonly { readonly name: string; readonly tokens: number; readonly idleCalls: number }[];
  readonly tokens: number;
}

/** What a client that connects now would be shown, what that costs, and what sessions have made of it. */
export interface SurfaceReport {
  readonly counted: Counted;
  readonly lazy: string;
  readonly mode: SurfaceMode;
  readonly client?: string;
  readonly maxActive: number;
  readonly maxActiveTokens: number;
  readonly listed: { readonly tools: number; readonly tokens: number };
  readonly deferred: { readonly tools: number; readonly tokens: number };
  readonly servers: readonly ServerCost[];
  /** The client gets everything because it defers tools by itself. */
  readonly defersItself: boolean;
  /** Pins and hints that name no tool. */
  readonly idle: readonly string[];
  readonly sessions: readonly SurfaceSession[];
}

export interface ReportParts {
  readonly gateway: Gateway;
  readonly opened: OpenedSurface;
  /** Whose tools are looked at. */
  readonly session: Session;
  readonly client?: string;
  /** With the tokenizer that models use, which takes a second to load. */
  readonly isExact: boolean;
}

export async function surfaceReport(parts: ReportParts): Promise<SurfaceReport> {
  const { gateway, opened, session } = parts;
  const { counted, tool: count } = await openCounter(parts.isExact);
  const visible = gateway.visibleTools(session);
  // Nobody's session: looking must not change what is kept of a real one.
  const looking: Session = { ...session, id: `look/${session.id}` };
  const client = clientOf(parts.client ?? 'unknown');
  // By name: a tool that is shown with a mark is another text of the same tool.
  const shown = new Set(opened.surface.show(looking, visible, client).map(({ name }) => name));
  const mode = opened.surface.mode(looking, visible);
  opened.surface.forget(looking);
  const isShown = ({ name }: ToolSpec): boolean => shown.has(name);
  const existing = mode === 'eager' ? visible.filter(({ reach }) => reach !== 'open') : visible;
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
    defersItself: mode === 'eager' && opened.surface.defersItself(looking, visible, client),
    idle: idleWords(opened, gateway.everyTool()),
    servers: costs(existing, new Set(deferred), count),
    sessions: opened.surface.sessions().map(sessionOf),
  };
}

function idleWords({ settings, hinted }: OpenedSurface, tools: readonly ToolSpec[]): readonly string[] {
  const isIdle = (pattern: string): boolean => !tools.some(({ name }) => matchesPattern(pattern, name));
  const names = new Set(tools.map(({ name }) => name));
  return [
    ...settings.pin.filter(isIdle).map((pattern) => `surface.pin: ${pattern}`),
    ...hinted.filter((name) => !names.has(name)).map((name) => `surface.search_hints: ${name}`),
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

function sessionOf({ session, mode, client, set }: SessionView): SurfaceSession {
  return {
    session: session.id,
    principal: principalKey(session.principal),
    ...(client !== undefined && { client }),
    mode,
    active: set.entries.map(({ name, tokens, usedAt }) => ({ name, tokens, idleCalls: set.clock - usedAt })),
    tokens: tokensIn(set.entries),
  };
}

function sum(tools: readonly ToolSpec[], count: CountTokens): number {
  return tools.reduce((total, tool) => total + count(tool), 0);
}

/** A client of this name, as surfaces tell clients apart. */
export function clientOf(name: string): Client {
  return {
    era: 'legacy',
    protocolVersion: '2025-11-25',
    info: JsonText.from({ name }),
    capabilities: JsonText.from({}),
  };
}
