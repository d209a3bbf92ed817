import type { Client } from '../kernel/index.js';
import type { SurfaceSettings } from './settings.js';
import type { SurfaceWish } from './show.js';

/**
 * `eager`: everything is shown. `marked`: too, and what is pinned is marked for a client that defers by itself.
 * `list`: what is active is shown, and the client is told when that changes. `bridge`: the list never changes.
 */
export type Delivery = 'eager' | 'marked' | 'list' | 'bridge';

/**
 * What programs were seen to do. Those that read their list again when they are told to can be shown a list that grows;
 * to those that never do, tools come over the bridge. One defers by itself, and does not need it done twice.
 */
const knownClients: ReadonlyMap<string, Delivery> = new Map([
  ['claude-code', 'marked'],
  ['gemini-cli-mcp-client', 'list'],
  ['opencode', 'list'],
  ['codex-mcp-client', 'bridge'],
  ['tidegate-openai', 'list'],
]);

/**
 * Nobody has to wait until these have read their list: one does so before every turn by itself; the other never does
 * while a call is open, and at once when it is over.
 */
const punctual: ReadonlySet<string> = new Set(['tidegate-openai', 'codex-mcp-client']);

/** How long a program goes on with its old list after it has read the new one. */
const slowness: ReadonlyMap<string, number> = new Map([['gemini-cli-mcp-client', 700]]);

/** How this client is to be shown tools, if any are deferred at all. Nobody is known who said nothing. */
export function deliveryFor(
  settings: SurfaceSettings,
  client: Client | undefined,
  wish: SurfaceWish = {},
): { readonly lazy: SurfaceSettings['lazy']; readonly delivery: Delivery } {
  if (client === undefined) return { lazy: 'off', delivery: 'eager' };
  const name = clientName(client);
  const own = name === undefined ? undefined : settings.clients.get(name);
  const lazy = wish.lazy ?? own?.lazy ?? settings.lazy;
  const chosen = wish.delivery ?? own?.delivery ?? settings.delivery;
  if (lazy === 'off') return { lazy, delivery: 'eager' };
  if (chosen !== 'auto') return { lazy, delivery: chosen };
  // Seen on this very machine, with both eras.
  if (wish.learned !== undefined) return { lazy, delivery: wish.learned };
  const known = knownClients.get(name ?? '') ?? 'bridge';
  // A list of this era may not change because of what else its reader asked for.
  return { lazy, delivery: client.era === 'modern' && known === 'list' ? 'bridge' : known };
}

export function clientName({ info }: Client): string | undefined {
  const { name } = (info?.value ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' ? name : undefined;
}

/** How long to wait after this client has read its list. */
export function slownessOf(client: Client | undefined): number {
  return (client && slowness.get(clientName(client) ?? '')) ?? 0;
}

export function isPunctual(client: Client | undefined): boolean {
  return client !== undefined && punctual.has(clientName(client) ?? '');
}
