import { messageOf } from '../lib/error-message.js';
import { asRecord } from '../lib/is-record.js';
import type { SchemaIssue } from '../core/index.js';
import {
  type EventMessage,
  type Message,
  type Method,
  eventService,
  handshake,
  healthService,
  operationService,
  pluginService,
  readText,
  severities,
  stepTypeService,
  type ValidationIssue,
  validatorService,
  type ValueOf,
} from '../plugin-protocol/index.js';
import type { AnyOperation, EmittedEvent, Issue, Plugin } from './define-plugin.js';
import { operationSchemaOf } from './operation-schema.js';

/** Handles one method. A thrown error becomes the error of the call, with its message. */
export interface Answer {
  readonly method: Method<Message, Message>;
  give(asked: unknown, signal: AbortSignal): Promise<unknown>;
}

/** Invalid arguments, as opposed to an operation that failed. */
export class WrongArguments extends Error {}

const utf8 = new TextEncoder();
const json = (value: unknown): Uint8Array => utf8.encode(JSON.stringify(value));

/** The handlers of a plugin, independent of gRPC. Missing features are answered like other plugins do. */
export function answersOf(plugin: Plugin): readonly Answer[] {
  const operations = new Map(Object.entries(plugin.operations ?? {}));
  const stepTypes = new Map(Object.entries(plugin.stepTypes ?? {}));
  const { validators } = plugin;
  let config: Readonly<Record<string, unknown>> = {};
  const schemas = (): readonly ReturnType<typeof operationSchemaOf>[] =>
    [...operations].map(([name, operation]) => operationSchemaOf(name, operation));

  return [
    answer(pluginService.getInfo, () => ({
      name: plugin.name,
      version: plugin.version,
      description: plugin.description ?? '',
      capabilities: capabilitiesOf(plugin),
    })),
    answer(pluginService.init, async (asked) => {
      config = valuesOf(asked.config);
      try {
        await plugin.init?.(config);
      } catch (error) {
        throw new Error(`plugin init failed: ${messageOf(error)}`);
      }
      return {};
    }),
    answer(pluginService.shutdown, async () => {
      await plugin.shutdown?.();
      return {};
    }),
    answer(operationService.listOperations, () => ({ operations: schemas() })),
    answer(operationService.getOperation, ({ name }) => {
      const operation = schemas().find((schema) => schema.name === name);
      if (operation === undefined) throw new Error(`unknown operation: ${name}`);
      return { operation };
    }),
    answer(operationService.execute, async ({ operation: name, inputs }, signal) => {
      const operation = operations.get(name);
      if (operations.size === 0) return failed('plugin does not implement operations');
      if (operation === undefined) return failed(`unknown operation: ${name}`);
      return execute(name, operation, valuesOf(inputs), { signal, config });
    }),
    answer(stepTypeService.listStepTypes, () => ({
      step_types: [...stepTypes].map(([name, { description }]) => ({ name, description })),
    })),
    answer(stepTypeService.executeStep, async (asked, signal) => {
      const stepType = stepTypes.get(asked.step_type);
      if (stepTypes.size === 0) throw new Error('plugin does not implement step types');
      if (stepType === undefined) throw new Error(`unknown step type: ${asked.step_type}`);
      const step = {
        stepName: asked.step_name,
        config: objectOf(asked.config),
        inputs: objectOf(asked.inputs),
      };
      const { output = '', data = {}, exitCode = 0 } = await stepType.run(step, { signal, config });
      return { output, data: json(data), exit_code: exitCode };
    }),
    answer(validatorService.validateWorkflow, async (asked) => {
      const found = await validators?.workflow?.(objectOf(asked.workflow_json));
      return { issues: (found ?? []).map(issueOf) };
    }),
    answer(validatorService.validateStep, async (asked) => {
      const found = await validators?.step?.(objectOf(asked.workflow_json), asked.step_name);
      return { issues: (found ?? []).map(issueOf) };
    }),
    answer(eventService.handleEvent, async (asked) => {
      const emitted = await plugin.onEvent?.({
        type: asked.type,
        source: asked.source,
        payload: valueOf(asked.payload),
        metadata: Object.fromEntries(asked.metadata),
        depth: asked.propagation_depth,
      });
      return { emitted_events: (emitted ?? []).map((event) => emittedOf(event, plugin.name, asked)) };
    }),
    answer(healthService.check, ({ service }) => {
      if (service !== '' && service !== handshake.healthName) throw new Error(`unknown service: ${service}`);
      return { status: handshake.serving };
    }),
  ];
}

function answer<A extends Message, G extends Message>(
  method: Method<A, G>,
  give: (asked: ValueOf<A>, signal: AbortSignal) => Partial<ValueOf<G>> | Promise<Partial<ValueOf<G>>>,
): Answer {
  // The server decodes the request with the table of this method.
  return { method, give: async (asked, signal) => give(asked as ValueOf<A>, signal) };
}

function capabilitiesOf(plugin: Plugin): readonly string[] {
  const { operations, stepTypes, validators } = plugin;
  return [
    ...(operations ? ['operations'] : []),
    ...(stepTypes ? ['step_types'] : []),
    ...(validators ? ['validators'] : []),
    ...(plugin.onEvent ? ['events'] : []),
  ];
}

type Executed = Partial<ValueOf<(typeof operationService.execute)['given']>>;

function failed(error: string): Executed {
  return { success: false, error };
}

async function execute(
  name: string,
  operation: AnyOperation,
  values: Readonly<Record<string, unknown>>,
  context: Parameters<AnyOperation['run']>[1],
): Promise<Executed> {
  const { input, output } = operation;
  const read = await input['~standard'].validate(values);
  if (read.issues) throw new WrongArguments(`Invalid arguments for ${name}: ${describeIssues(read.issues)}.`);
  try {
    // The schema of this operation parsed the value.
    const result = await operation.run(read.value as never, context);
    if (typeof result === 'string') return { success: true, output: result };
    const { data, text = '' } = result as { readonly data?: unknown; readonly text?: string };
    const checked = output && (await output['~standard'].validate(data));
    if (checked?.issues)
      return failed(
        `${name} ran, but its result does not match its output schema: ${describeIssues(checked.issues)}.`,
      );
    const given = Object.entries(checked?.value ?? data ?? {}).filter(([, value]) => value !== undefined);
    return { success: true, output: text, data: new Map(given.map(([key, value]) => [key, json(value)])) };
  } catch (error) {
    return failed(messageOf(error) || `${name} failed without an error message.`);
  }
}

function describeIssues(issues: readonly SchemaIssue[]): string {
  const words = issues.slice(0, 8).map(({ path = [], message }) => {
    const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('/');
    return `${place || 'arguments'}: ${message}`;
  });
  return words.join('; ');
}

/** Parses JSON, or returns the text itself: other hosts send both. */
function valueOf(bytes: Uint8Array): unknown {
  let text = '';
  try {
    text = readText(bytes);
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function valuesOf(map: ReadonlyMap<string, Uint8Array>): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...map].map(([key, bytes]) => [key, valueOf(bytes)]));
}

function objectOf(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  return asRecord(valueOf(bytes));
}

function issueOf({ severity, message, step = '', field = '' }: Issue): ValidationIssue {
  return { severity: severities.indexOf(severity), message, step, field };
}

function emittedOf(
  { type, payload = {}, metadata = {} }: EmittedEvent,
  source: string,
  { propagation_depth: depth }: EventMessage,
): EventMessage {
  return {
    id: globalThis.crypto.randomUUID(),
    type,
    timestamp_unix_nanos: BigInt(Date.now()) * 1_000_000n,
    source,
    metadata: new Map(Object.entries(metadata)),
    payload: json(payload),
    propagation_depth: depth + 1,
  };
}
