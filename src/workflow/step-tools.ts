import type { ValuesOf } from './fields/field.js';
import type { gateFields, proxyFields } from './fields/agent-fields.js';

/** The tools that `intercept_builtins` means. */
export const builtinNames = ['Read', 'Write', 'Edit', 'Bash', 'Glob', 'Grep'] as const;

export type ProxyBlock = ValuesOf<typeof proxyFields>;
export type GateBlock = ValuesOf<typeof gateFields>;

/** What an agent step is given of the gate, in words of the gate. */
export interface StepTools {
  /** Names and patterns. None: the step has no tools. */
  readonly patterns: readonly string[];
  readonly profile?: string;
  /** Whose tools are added, whatever their names. */
  readonly servers: readonly string[];
  readonly pluginTools: readonly { readonly plugin: string; readonly expose: readonly string[] }[];
}

const nothing: StepTools = { patterns: [], servers: [], pluginTools: [] };

/** Without a block a step gets nothing of the gate; `mcp_proxy.enable: false` takes all of it back. */
export function stepTools(proxy: ProxyBlock | undefined, gate: GateBlock | undefined): StepTools {
  if (proxy?.enable === false) return nothing;
  const isProxied = proxy?.enable === true;
  const { profile, tools = [], servers = [] } = gate ?? {};
  const builtins = isProxied && proxy.intercept_builtins !== false ? builtinNames : [];
  const pluginTools = isProxied ? (proxy.plugin_tools ?? []) : [];
  // A profile alone is all that it allows.
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

/** Whether an agent has no tools but those of the gate: not where it keeps its own, or was given nothing here. */
export function isIsolated(proxy: ProxyBlock | undefined, gate: GateBlock | undefined): boolean {
  if (proxy !== undefined) return proxy.enable === true && proxy.intercept_builtins !== false;
  return gate !== undefined;
}
