import type { Client } from '../core/index.js';
import type { ExposureSettings } from './settings.js';
import type { ExposureOptions } from './show.js';
import type { Extent } from './split.js';

/**
 * `eager`: list all tools. `marked`: the same, with pinned tools marked for a client that defers tools itself. `list`:
 * list active tools and notify the client of changes. `call_tool`: the list never changes; use call_tool.
 */
export type Delivery = 'eager' | 'marked' | 'list' | 'call_tool';

/**
 * Observed behavior of clients. Clients that refresh their list when notified get a growing list; those that never do use
 * call_tool. One client defers tools itself and needs no help.
 */
const knownClients: ReadonlyMap<string, Delivery> = new Map([
  ['claude-code', 'marked'],
  ['gemini-cli-mcp-client', 'list'],
  ['opencode', 'list'],
  ['codex-mcp-client', 'call_tool'],
  ['tidegate-openai', 'list'],
]);

/**
 * Searches need not wait for these to refresh their list: one refreshes before every turn; the other never does so during
 * a call, but right after it.
 */
const punctual: ReadonlySet<string> = new Set(['tidegate-openai', 'codex-mcp-client']);

/** How long a client keeps using its old list after reading the new one. */
const slowness: ReadonlyMap<string, number> = new Map([['gemini-cli-mcp-client', 700]]);

/** How to deliver tools to this client, if any are deferred. A client without a name is unknown. */
export function deliveryFor(
  settings: ExposureSettings,
  client: Client | undefined,
  options: ExposureOptions = {},
): { readonly extent: Extent; readonly delivery: Delivery } {
  if (client === undefined) return { extent: 'all', delivery: 'eager' };
  const name = clientName(client);
  const own = name === undefined ? undefined : settings.clients.get(name);
  const extent = extentOf(settings, options.lazy ?? own?.lazy);
  const chosen = options.delivery ?? own?.delivery ?? settings.delivery;
  if (extent === 'none') return { extent, delivery: 'eager' };
  if (chosen !== 'auto') return { extent, delivery: chosen };
  // Learned on this machine, for both protocol versions.
  if (options.learned !== undefined) return { extent, delivery: options.learned };
  const known = knownClients.get(name ?? '') ?? 'call_tool';
  // In this protocol version a list must not depend on other requests.
  return { extent, delivery: client.protocol === 'modern' && known === 'list' ? 'call_tool' : known };
}

/** `off` for a client or session lists everything; the global `off` still respects `lazy: true` of a server. */
function extentOf(
  { lazy, maxActiveSchemas }: ExposureSettings,
  own: ExposureSettings['lazy'] | undefined,
): Extent {
  if (own === 'off' || maxActiveSchemas === 0) return 'none';
  return extents[own ?? lazy];
}

const extents = { on: 'all', auto: 'auto', off: 'asked' } as const;

export function clientName({ info }: Client): string | undefined {
  const { name } = (info?.value ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' ? name : undefined;
}

/** How long to wait after this client has refreshed its list. */
export function slownessOf(client: Client | undefined): number {
  return (client && slowness.get(clientName(client) ?? '')) ?? 0;
}

export function isPunctual(client: Client | undefined): boolean {
  return client !== undefined && punctual.has(clientName(client) ?? '');
}
