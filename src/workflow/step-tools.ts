import type { ValuesOf } from './fields/field.js';
import type { gateFields, proxyFields } from './fields/agent-fields.js';

/** Tools provided by `intercept_builtins`. */
export const builtinNames = ['Read', 'Write', 'Edit', 'Bash', 'Glob', 'Grep'] as const;

export type ProxyBlock = ValuesOf<typeof proxyFields>;
export type GatewayBlock = ValuesOf<typeof gateFields>;

/** The gateway tools of an agent step. */
export interface StepTools {
  /** Names and patterns. Empty: the step has no tools. */
  readonly patterns: readonly string[];
  readonly profile?: string;
  /** Servers whose tools are added, whatever their names. */
  readonly servers: readonly string[];
  readonly pluginTools: readonly { readonly plugin: string; readonly expose: readonly string[] }[];
}

const nothing: StepTools = { patterns: [], servers: [], pluginTools: [] };

/** Without a block a step gets no gateway tools; `mcp_proxy.enable: false` removes all of them. */
export function stepTools(proxy: ProxyBlock | undefined, gate: GatewayBlock | undefined): StepTools {
  if (proxy?.enable === false) return nothing;
  const isProxied = proxy?.enable === true;
  const { profile, tools = [], servers = [] } = gate ?? {};
  const builtins = isProxied && proxy.intercept_builtins !== false ? builtinNames : [];
  const pluginTools = isProxied ? (proxy.plugin_tools ?? []) : [];
  // A profile alone means all tools the profile allows.
  const isWhole = profile !== undefined && !isProxied && tools.length === 0 && servers.length === 0;
  const given = tools.filter((pattern) => !pattern.startsWith('!'));
  const taken = tools.filter((pattern) => pattern.startsWith('!'));
  const patterns = isWhole ? ['*'] : [...builtins, ...given];
  return {
    patterns: [...patterns, ...taken],
    ...(profile !== undefined && { profile }),
    servers,
    pluginTools: pluginTools.map(({ plugin = '', expose = [] }) => ({ plugin, expose })),
  };
}

/** Whether an agent has only gateway tools. False if it keeps its own, or gets none from the gateway. */
export function isIsolated(proxy: ProxyBlock | undefined, gate: GatewayBlock | undefined): boolean {
  if (proxy !== undefined) return proxy.enable === true && proxy.intercept_builtins !== false;
  return gate !== undefined;
}

/** Why an agent may use tools the gateway does not see; undefined if it cannot. */
export function nativeReason(
  isCli: boolean,
  proxy: ProxyBlock | undefined,
  gate: GatewayBlock | undefined,
): string | undefined {
  if (!isCli) return undefined;
  if (!isIsolated(proxy, gate)) return 'its agent keeps its own tools';
  return gate?.allow_native === true ? 'allow_native lets its agent use its own tools' : undefined;
}
