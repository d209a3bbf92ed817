import type { ExposureMode } from '../../ports/catalog.js';
import type { ExposureSettings } from '../../exposure/index.js';
import type { Amount, ServerSum, ToolCost } from './cost.js';

/** A suggested setting for `tidegate.yaml` and its effect. */
export interface Advice {
  readonly kind: 'pin' | 'defer' | 'drop';
  /** Tool names, or one server. */
  readonly what: readonly string[];
  readonly why: string;
  /** The line for the file. */
  readonly setting: string;
  /** Tokens saved in the current prompt; negative for a pin. */
  readonly saves: number;
}

export interface AdviceFacts {
  readonly settings: ExposureSettings;
  readonly mode: ExposureMode;
  readonly defersItself: boolean;
  readonly eager: Amount;
  readonly lazy: Amount;
  readonly now: Amount;
  readonly servers: readonly ServerSum[];
  readonly tools: readonly ToolCost[];
  readonly uses?: { readonly records: number };
  /** Tool name prefix of each server. */
  readonly prefixes: ReadonlyMap<string, string>;
}

/** A pinned tool costs tokens in every request, so only small tools with frequent calls are worth it. */
const smallTokens = 400;
const oftenCalls = 3;
const mostPins = 5;
/** Smaller savings are not worth a setting. */
const worthTokens = 500;
/** With fewer recorded calls, "never used" means nothing. */
export const tellingCalls = 50;

/** What to pin, defer and drop. Every suggestion is based on recorded calls or token counts. */
export function advise(facts: AdviceFacts): readonly Advice[] {
  return [...whole(facts), ...pins(facts), ...deferred(facts), ...dropped(facts)];
}

/** All tools are listed, and they exceed the token limit. */
function whole({ settings, mode, defersItself, eager, lazy, now }: AdviceFacts): readonly Advice[] {
  const saves = now.tokens - lazy.tokens;
  const isMuch = eager.tokens > settings.deferAboveTokens && saves > worthTokens;
  if (mode !== 'eager' || defersItself || !isMuch || settings.lazy !== 'off') return [];
  const why = 'every request contains all tools, because context.lazy is off';
  return [{ kind: 'defer', what: ['all server tools'], why, setting: 'context.lazy: auto', saves }];
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
      why: `small and called ${String(calls)} times: pinning saves a tool search`,
      setting: `context.pin: ${JSON.stringify([...settings.pin, ...names])}`,
      saves: -worth.reduce((sum, { tokens }) => sum + tokens, 0),
    },
  ];
}

/** Servers listed in full while others are deferred. */
function deferred({ settings, servers, mode }: AdviceFacts): readonly Advice[] {
  if (mode === 'eager') return [];
  return servers
    .filter(({ source, lazy, calls }) => isListedWhole(settings, source) && lazy > worthTokens && !calls)
    .map(({ server, source, lazy, calls }) => ({
      kind: 'defer',
      what: [server],
      why: `always listed in full because of lazy: false${calls === 0 ? ', and never called' : ''}`,
      setting: `servers.${nameIn(source)}.lazy: true`,
      saves: lazy,
    }));
}

function isListedWhole({ servers }: ExposureSettings, source: string): boolean {
  return isOfServer({ source }) && servers.get(nameIn(source)) === false;
}

const serverPrefix = 'server:';

function isOfServer({ source }: Pick<ToolCost, 'source'>): boolean {
  return source.startsWith(serverPrefix);
}

/** The server name in the configuration file. */
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
