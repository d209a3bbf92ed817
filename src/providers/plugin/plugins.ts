import { isRecord } from '../../lib/is-record.js';
import { createFault, type Fault, type Provider } from '../../core/index.js';
import { decodeUtf8 } from '../../lib/lines.js';
import type { Log } from '../../ports/log.js';
import type {
  PluginAnswer,
  PluginFacts,
  PluginInput,
  PluginOffer,
  Plugins,
  PluginStep,
  PluginStepResult,
  PluginTools,
  PluginToolsCheck,
  PluginToolsProblem,
} from '../../ports/plugins.js';
import { unknownPlugin, unknownPluginProblem } from '../../ports/no-plugins.js';
import { stepTypeService } from '../../plugin-protocol/index.js';
import { faultOf } from './call-failure.js';
import { largestAnswer } from './largest-answer.js';
import { openEventBus } from './events.js';
import { isFault, type PluginProvider } from './provider.js';
import { askValidator } from './validators.js';

/** A plugin of either kind. `plugin` is set for those that use the plugin protocol. */
export interface PluginMember {
  readonly provider: Provider;
  readonly plugin?: PluginProvider;
  facts(): PluginFacts;
}

export interface OpenPlugins extends Plugins {
  close(): Promise<void>;
}

/** The plugins of a gateway, for callers that need more than their tools. */
export function openPlugins(members: () => readonly PluginMember[], log: Log): OpenPlugins {
  const hosted = (): readonly PluginProvider[] => members().flatMap(({ plugin }) => plugin ?? []);
  const bus = openEventBus(hosted, log);
  const find = (name: string): PluginMember | undefined => members().find((one) => one.facts().name === name);

  async function offer(name: string, signal: AbortSignal): Promise<PluginAnswer<PluginOffer>> {
    const member = find(name);
    return member === undefined ? { ok: false, fault: unknownPlugin(name) } : offerOf(member, signal);
  }

  return {
    list: () => members().map((one) => one.facts()),
    offer,
    async check(wanted, taken, signal) {
      const names = members().map((one) => one.facts().name);
      const answers = await Promise.all(
        wanted.map(async ({ plugin }) => (names.includes(plugin) ? offer(plugin, signal) : undefined)),
      );
      const isHidden = (plugin: string, operation: string): boolean =>
        find(plugin)?.plugin?.options.offers(operation) === false;
      return checkOf(wanted, answers, taken, isHidden);
    },
    async runStep(step, signal) {
      const plugin = find(step.plugin)?.plugin;
      if (plugin === undefined) return { ok: false, fault: unknownPlugin(step.plugin) };
      return runStep(plugin, step, signal);
    },
    async validate(workflow, limits) {
      const asked = hosted().filter(
        ({ options }) => options.closed === undefined && options.capabilities.includes('validators'),
      );
      return (await Promise.all(asked.map((plugin) => askValidator(plugin, workflow, limits)))).flat();
    },
    publish: (event) => bus.publish(event),
    onEvent: (listener) => bus.onEvent(listener),
    close: () => bus.close(),
  };
}

async function offerOf(
  { provider, plugin }: PluginMember,
  signal: AbortSignal,
): Promise<PluginAnswer<PluginOffer>> {
  const raw = plugin && (await plugin.offer(signal));
  if (raw !== undefined && isFault(raw)) return { ok: false, fault: raw };
  if (raw === undefined) await provider.ready();
  const { tools } = provider.list();
  const { state, detail } = provider.status();
  if (raw === undefined && tools.length === 0 && state !== 'ready') {
    const message = `The operations of the plugin could not be listed: ${detail ?? state}.`;
    return { ok: false, fault: createFault('provider.unavailable', message) };
  }
  const operations = tools.map(({ name, localName, definition }) => {
    const { description, inputSchema } = definition.value as ToolDefinition;
    return {
      name: localName,
      tool: name,
      description: typeof description === 'string' ? description : '',
      ...(inputSchema?.properties && { inputs: inputsOf(inputSchema) }),
    };
  });
  return { ok: true, value: { operations, stepTypes: raw?.stepTypes ?? [] } };
}

interface ToolDefinition {
  readonly description?: unknown;
  readonly inputSchema?: { readonly properties?: object; readonly required?: readonly string[] };
}

function inputsOf({
  properties = {},
  required = [],
}: NonNullable<ToolDefinition['inputSchema']>): readonly PluginInput[] {
  return Object.keys(properties).map((name) => ({ name, isRequired: required.includes(name) }));
}

type Answers = readonly (PluginAnswer<PluginOffer> | undefined)[];

function checkOf(
  wanted: readonly PluginTools[],
  answers: Answers,
  taken: readonly string[],
  isHidden: (plugin: string, operation: string) => boolean,
): PluginToolsCheck {
  const problems: PluginToolsProblem[] = [];
  const unchecked: { entry: number; fault: Fault }[] = [];
  const owners = new Map(taken.map((name) => [name, 'another tool']));
  const tools: string[] = [];
  wanted.forEach(({ plugin, expose }, entry) => {
    const answer = answers[entry];
    if (answer === undefined) return problems.push(unknownPluginProblem(plugin, entry));
    if (!answer.ok) return unchecked.push({ entry, fault: answer.fault });
    expose.forEach((operation, exposed) => {
      const found = answer.value.operations.find(({ name }) => name === operation);
      const owner = found && owners.get(found.tool);
      if (found === undefined) {
        const known = answer.value.operations.map(({ name }) => name).join(', ') || 'none';
        const message = isHidden(plugin, operation)
          ? `The operation "${operation}" of the plugin "${plugin}" is hidden by \`expose\` in plugins.yaml. Available: ${known}.`
          : `The plugin "${plugin}" has no operation "${operation}". Available: ${known}.`;
        problems.push({ code: 'USER.MCP_PROXY.UNKNOWN_OPERATION', message, entry, exposed });
      } else if (owner !== undefined) {
        const message = `The tool "${found.tool}" of the plugin "${plugin}" has the same name as ${owner}.`;
        problems.push({ code: 'USER.MCP_PROXY.NAME_COLLISION', message, entry, exposed });
      } else {
        owners.set(found.tool, `the operation "${operation}" of the plugin "${plugin}"`);
        tools.push(found.tool);
      }
    });
    return undefined;
  });
  return { problems, unchecked, tools: problems.length > 0 ? [] : tools };
}

async function runStep(
  plugin: PluginProvider,
  step: PluginStep,
  signal: AbortSignal,
): Promise<PluginAnswer<PluginStepResult>> {
  const { name, timeoutMs } = plugin.options;
  const running = await plugin.use(signal);
  if (isFault(running)) return { ok: false, fault: running };
  try {
    const answer = await running.channel.call(
      stepTypeService.executeStep,
      {
        step_name: step.stepName,
        step_type: step.stepType,
        config: Buffer.from(JSON.stringify(step.config)),
        inputs: Buffer.from(JSON.stringify(step.inputs)),
      },
      { ms: timeoutMs, signal, mostBytes: largestAnswer },
    );
    const data = objectOf(answer.data);
    if (data === undefined) {
      const message = `The plugin ${name} returned data for the step ${step.stepName} that is not a JSON object.`;
      return { ok: false, fault: createFault('provider.malformed', message) };
    }
    return { ok: true, value: { output: answer.output, data, exitCode: answer.exit_code } };
  } catch (failure) {
    return { ok: false, fault: faultOf(plugin.options, failure, await plugin.doubt(running, failure)) };
  }
}

function objectOf(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  if (bytes.length === 0) return {};
  try {
    const value: unknown = JSON.parse(decodeUtf8(bytes) ?? '');
    if (value === null) return {};
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
