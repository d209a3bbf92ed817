import type { Fault, ProviderState } from '../core/index.js';

export const pluginCapabilities = ['operations', 'step_types', 'validators', 'events'] as const;
export type PluginCapability = (typeof pluginCapabilities)[number];

/** A declared or discovered plugin, whether or not it may run. */
export interface PluginFacts {
  readonly name: string;
  readonly state: ProviderState;
  /** The reason for its state, if there is one. */
  readonly detail?: string;
  readonly version?: string;
  readonly capabilities: readonly PluginCapability[];
}

/** An operation: the plugin's name for it, and its tool name in the gateway. */
export interface PluginOperation {
  readonly name: string;
  readonly tool: string;
  readonly description: string;
  /** Undefined if its inputs are unknown. */
  readonly inputs?: readonly PluginInput[];
}

export interface PluginInput {
  readonly name: string;
  readonly isRequired: boolean;
}

export interface PluginStepType {
  /** The plugin's name for it; workflows use `<plugin>.<name>`. */
  readonly name: string;
  readonly description: string;
}

/** The capabilities that a running plugin reported. */
export interface PluginOffer {
  readonly operations: readonly PluginOperation[];
  readonly stepTypes: readonly PluginStepType[];
}

/** One entry of `plugin_tools`. */
export interface PluginTools {
  readonly plugin: string;
  readonly expose: readonly string[];
}

export const pluginToolCodes = [
  'USER.MCP_PROXY.UNKNOWN_PLUGIN',
  'USER.MCP_PROXY.UNKNOWN_OPERATION',
  'USER.MCP_PROXY.NAME_COLLISION',
] as const;

/** A problem in `plugin_tools`; `entry` and `exposed` are zero-based positions. */
export interface PluginToolsProblem {
  readonly code: (typeof pluginToolCodes)[number];
  readonly message: string;
  readonly entry: number;
  readonly exposed?: number;
}

export interface PluginToolsCheck {
  readonly problems: readonly PluginToolsProblem[];
  /** Entries that could not be checked because their plugin did not answer. */
  readonly unchecked: readonly { readonly entry: number; readonly fault: Fault }[];
  /** Tool names of the valid entries, in order. */
  readonly tools: readonly string[];
}

/** A step whose type a plugin provides. */
export interface PluginStep {
  readonly plugin: string;
  readonly stepType: string;
  readonly stepName: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, unknown>>;
}

export interface PluginStepResult {
  readonly output: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly exitCode: number;
}

/** A workflow as validators receive it: plain JSON in the documented form. */
export interface PluginWorkflow {
  readonly name: string;
  readonly initial: string;
  readonly steps: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly [key: string]: unknown;
}

export interface PluginIssue {
  readonly plugin: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly step?: string;
  readonly field?: string;
}

export interface PluginEvent {
  /** Dotted: `workflow.started`, `step.failed`. */
  readonly type: string;
  /** The source: `workflow`, or `plugin:<name>` for events that a plugin emitted. */
  readonly source: string;
  /** JSON text. */
  readonly payload: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export type PluginAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: Fault };

/** Everything plugins do besides operations. Operations are tools and are called through the gateway. */
export interface Plugins {
  /** Sorted by name. Starts nothing. */
  list(): readonly PluginFacts[];
  /** The capabilities of a plugin: the last known ones, or starts it to ask. */
  offer(plugin: string, signal: AbortSignal): Promise<PluginAnswer<PluginOffer>>;
  /** Checks `plugin_tools`. `taken`: names of other tools, such as the built-in ones. */
  check(
    wanted: readonly PluginTools[],
    taken: readonly string[],
    signal: AbortSignal,
  ): Promise<PluginToolsCheck>;
  runStep(step: PluginStep, signal: AbortSignal): Promise<PluginAnswer<PluginStepResult>>;
  /** Runs every validator on the workflow and each step. A validator that fails or times out is reported as an issue. */
  validate(workflow: PluginWorkflow, limits: ValidateLimits): Promise<readonly PluginIssue[]>;
  /** Sends an event to all subscribed plugins. Never waits or throws: a full queue drops it with a warning. */
  publish(event: PluginEvent): void;
  /** Listens to events from plugins. The returned function stops listening. */
  onEvent(listener: (event: PluginEvent) => void): () => void;
}

export interface ValidateLimits {
  readonly signal: AbortSignal;
  /** Timeout per validator and question. Default: 5 seconds. */
  readonly timeoutMs?: number;
}
