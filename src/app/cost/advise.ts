import type { SurfaceMode } from '../../kernel/index.js';
import type { SurfaceSettings } from '../../surface/index.js';
import type { Amount, ServerSum, ToolCost } from './cost.js';

/** One thing to write into `tidegate.yaml`, and what it brings. */
export interface Advice {
  readonly kind: 'pin' | 'defer' | 'drop';
  /** Tools, or one server. */
  readonly what: readonly string[];
  readonly why: string;
  /** As it is written in the file. */
  readonly setting: string;
  /** Tokens that leave the prompt as it is now; what a pin adds is negative. */
  readonly saves: number;
}

export interface AdviceFacts {
  readonly settings: SurfaceSettings;
  readonly mode: SurfaceMode;
  readonly defersItself: boolean;
  readonly eager: Amount;
  readonly lazy: Amount;
  readonly now: Amount;
  readonly servers: readonly ServerSum[];
  readonly tools: readonly ToolCost[];
  readonly uses?: { readonly records: number };
  /** What stands before the names of a server's tools. */
  readonly prefixes: ReadonlyMap<string, string>;
}

/** A tool that is pinned costs its tokens in every request: only small ones that are called again and again are worth it. */
const smallTokens = 400;
const oftenCalls = 3;
const mostPins = 5;
/** What is less is not worth a line in a file. */
const worthTokens = 500;
/** With fewer calls nobody can say what is never used. */
export const tellingCalls = 50;

/** What to pin, defer and drop. Says nothing that no record or number stands behind. */
export function advise(facts: AdviceFacts): readonly Advice[] {
  return [...whole(facts), ...pins(facts), ...deferred(facts), ...dropped(facts)];
}

/** Everything is listed, and it is more than a request should carry. */
function whole({ settings, mode, defersItself, eager, lazy, now }: AdviceFacts): readonly Advice[] {
  const saves = now.tokens - lazy.tokens;
  const isMuch = eager.tokens > settings.deferAboveTokens && saves > worthTokens;
  if (mode !== 'eager' || defersItself || !isMuch || settings.lazy !== 'off') return [];
  const why = 'every tool is in every request, because surface.lazy is off';
  return [{ kind: 'defer', what: ['all tools of servers'], why, setting: 'surface.lazy: auto', saves }];
}

function pins({ mode, tools, uses, settings }: AdviceFacts): readonly Advice[] {
  if (mode === 'eager' || uses === undefined) return [];
  const worth = tools
    .filter((tool) => !tool.isAlwaysListed && tool.tokens <= smallTokens && (tool.calls ?? 0) >= oftenCalls)
    .sort((a, b) => (b.calls ?? 0) - (a.calls ?? 0))
    .slice(0, mostPins);
  if (worth.length === 0) return [];
  const names = worth.map(({ name }) => name);
  const calls = worth.reduce((sum, tool) => sum + (tool.calls ?? 0), 0);
  return [
    {
      kind: 'pin',
      what: names,
      why: `small, and called ${String(calls)} times: pinned, no search comes before them`,
      setting: `surface.pin: ${JSON.stringify([...settings.pin, ...names])}`,
      saves: -worth.reduce((sum, { tokens }) => sum + tokens, 0),
    },
  ];
}

/** Servers that are listed whole where others are deferred. */
function deferred({ settings, servers, mode }: AdviceFacts): readonly Advice[] {
  if (mode === 'eager') return [];
  return servers
    .filter(({ source, lazy, calls }) => isListedWhole(settings, source) && lazy > worthTokens && !calls)
    .map(({ server, source, lazy, calls }) => ({
      kind: 'defer',
      what: [server],
      why: `listed whole by its own setting${calls === 0 ? ', and never called' : ''}`,
      setting: `servers.${nameIn(source)}.lazy: true`,
      saves: lazy,
    }));
}

function isListedWhole({ servers }: SurfaceSettings, source: string): boolean {
  return isOfServer({ source }) && servers.get(nameIn(source)) === false;
}

const serverPrefix = 'server:';

function isOfServer({ source }: Pick<ToolCost, 'source'>): boolean {
  return source.startsWith(serverPrefix);
}

/** How the file calls a server. */
function nameIn(source: string): string {
  return source.slice(serverPrefix.length);
}

function dropped({ servers, tools, uses, mode, prefixes }: AdviceFacts): readonly Advice[] {
  if (uses === undefined || uses.records < tellingCalls) return [];
  const never = `never called in ${uses.records.toLocaleString('en-US')} recorded calls`;
  const idle = servers.filter((one) => isOfServer(one) && one.calls === 0);
  const wholes = idle.map(({ server, source, eager, lazy }): Advice => {
    const saves = mode === 'eager' ? eager : lazy;
    return {
      kind: 'drop',
      what: [server],
      why: never,
      setting: `servers.${nameIn(source)}.enabled: false`,
      saves,
    };
  });
  const gone = new Set(idle.map(({ server }) => server));
  const single = tools
    .filter((tool) => isOfServer(tool) && tool.isListedNow && tool.calls === 0)
    .filter(({ server, tokens }) => !gone.has(server) && tokens >= worthTokens)
    .map(
      ({ name, source, tokens }): Advice => ({
        kind: 'drop',
        what: [name],
        why: never,
        setting: `servers.${nameIn(source)}.tools: ["!${name.slice((prefixes.get(nameIn(source)) ?? '').length)}"]`,
        saves: tokens,
      }),
    );
  return [...wholes, ...single.slice(0, mostPins)];
}
