import type { Fault } from './fault.js';
import type { ProviderState } from './provider.js';

export const pluginCapabilities = ['operations', 'step_types', 'validators', 'events'] as const;
export type PluginCapability = (typeof pluginCapabilities)[number];

/** A plugin that is declared or was found, whether or not it may run. */
export interface PluginFacts {
  readonly name: string;
  readonly state: ProviderState;
  /** Why it is in that state, where there is something to say. */
  readonly detail?: string;
  readonly version?: string;
  readonly capabilities: readonly PluginCapability[];
}

/** An operation by the plugin's own name for it, and the name of the tool that it is at the gate. */
export interface PluginOperation {
  readonly name: string;
  readonly tool: string;
  readonly description: string;
  /** Undefined: nobody knows what it takes. */
  readonly inputs?: readonly PluginInput[];
}

export interface PluginInput {
  readonly name: string;
  readonly isRequired: boolean;
}

export interface PluginStepType {
  /** By the plugin's own name for it; a workflow writes `<plugin>.<name>`. */
  readonly name: string;
  readonly description: string;
}

/** What a running plugin said that it can do. */
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

/** What is wrong with `plugin_tools`; `entry` and `exposed` say which of them, counted from 0. */
export interface PluginToolsProblem {
  readonly code: (typeof pluginToolCodes)[number];
  readonly message: string;
  readonly entry: number;
  readonly exposed?: number;
}

export interface PluginToolsCheck {
  readonly problems: readonly PluginToolsProblem[];
  /** Entries whose plugin could not be asked: what they expose is neither right nor wrong. */
  readonly unchecked: readonly { readonly entry: number; readonly fault: Fault }[];
  /** The names of the tools, in the order of the entries, where nothing was found wrong. */
  readonly tools: readonly string[];
}

/** A step of a type that a plugin brought. */
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

/** A workflow as validators are promised it: plain JSON in the documented form. */
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
  /** Who tells of it: `workflow`, or `plugin:<name>` for what a plugin emitted. */
  readonly source: string;
  /** JSON text. */
  readonly payload: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export type PluginAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: Fault };

/** What plugins do beside being called as tools. Operations are tools: they are called through the gateway. */
export interface Plugins {
  /** In the order of their names. Starts nothing. */
  list(): readonly PluginFacts[];
  /** What a plugin can do: as it was listed last, or by starting it. */
  offer(plugin: string, signal: AbortSignal): Promise<PluginAnswer<PluginOffer>>;
  /** Whether `plugin_tools` can be had. `taken`: names of other tools, such as the built-in ones. */
  check(
    wanted: readonly PluginTools[],
    taken: readonly string[],
    signal: AbortSignal,
  ): Promise<PluginToolsCheck>;
  runStep(step: PluginStep, signal: AbortSignal): Promise<PluginAnswer<PluginStepResult>>;
  /** Asks every validator about the workflow and each of its steps. One that fails or is too slow is an issue too. */
  validate(workflow: PluginWorkflow, limits: ValidateLimits): Promise<readonly PluginIssue[]>;
  /** Tells every plugin that subscribed to it. Never waits and never throws: a full queue drops it, with a warning. */
  publish(event: PluginEvent): void;
  /** What plugins emit. The returned function stops listening. */
  onEvent(listener: (event: PluginEvent) => void): () => void;
}

export interface ValidateLimits {
  readonly signal: AbortSignal;
  /** For each validator and each question; 5 seconds when left out. */
  readonly timeoutMs?: number;
}
