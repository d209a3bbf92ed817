import { isRecord } from '../../lib/is-record.js';
import type { PluginInput } from '../../ports/plugins.js';
import { splitDotted, type Step, type Workflow } from './workflow.js';

/** Operation that does nothing and succeeds. */
export const noop = 'noop';

/** An operation that needs no plugin: the tool that runs it, its inputs, and the input with the target URL. */
export interface BuiltinOperation {
  readonly tool: string;
  readonly inputs: readonly PluginInput[];
  readonly endpoint: string;
}

const needed = (name: string): PluginInput => ({ name, isRequired: true });
const optional = (name: string): PluginInput => ({ name, isRequired: false });

/** Built-in AWF operations by plugin name. A test compares the inputs with those of the tools. */
export const builtinOperations: Readonly<Record<string, Readonly<Record<string, BuiltinOperation>>>> = {
  http: {
    request: {
      tool: 'workflow_http_request',
      inputs: [
        ...['url', 'method'].map(needed),
        ...['headers', 'body', 'timeout', 'retryable_status_codes'].map(optional),
      ],
      endpoint: 'url',
    },
  },
  notify: {
    send: {
      tool: 'workflow_notify_send',
      inputs: [...['backend', 'message'].map(needed), ...['title', 'priority', 'webhook_url'].map(optional)],
      endpoint: 'webhook_url',
    },
  },
};

/** Operations that AWF has built in and Tidegate does not support. */
const unsupported: readonly string[] = ['github'];

/** Why Tidegate does not run a built-in AWF operation; undefined for any other operation. */
export function unsupportedOperation(
  operation: string,
  plugin: string,
  plugins: readonly string[],
): string | undefined {
  if (!unsupported.includes(plugin) || plugins.includes(plugin)) return undefined;
  return `Tidegate does not support the built-in AWF operation ${JSON.stringify(operation)}.`;
}

/** Operations of a built-in name; undefined if there are none or a plugin has this name. */
export function builtinsOf(
  plugin: string,
  plugins: readonly string[],
): Readonly<Record<string, BuiltinOperation>> | undefined {
  if (plugins.includes(plugin) || !Object.hasOwn(builtinOperations, plugin)) return undefined;
  return builtinOperations[plugin];
}

/** The built-in operation of a step, by name only. A plugin with that name takes precedence. */
export function builtinOf(
  step: Step,
  { plugins }: Pick<Workflow, 'plugins'> = { plugins: {} },
): BuiltinOperation | undefined {
  const dotted = step.kind === 'operation' ? splitDotted(step.own.operation ?? '', plugins) : undefined;
  if (dotted === undefined) return undefined;
  const known = builtinsOf(dotted.plugin, []) ?? {};
  return Object.hasOwn(known, dotted.rest) ? known[dotted.rest] : undefined;
}

/** Inputs of an operation as written; undefined if they are not a mapping. */
export function operationInputs(step: Step): Readonly<Record<string, unknown>> | undefined {
  if (step.kind !== 'operation') return undefined;
  const given: unknown = step.own.inputs ?? step.own.operation_inputs ?? {};
  return isRecord(given) ? given : undefined;
}
