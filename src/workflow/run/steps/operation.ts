import { asRecord } from '../../../lib/is-record.js';
import { createQuietExchange, type Fault, type Outcome, type Session } from '../../../core/index.js';
import { isParsable } from '../../../lib/json-rpc.js';
import { JsonText } from '../../../lib/json-text.js';
import {
  type BuiltinOperation,
  builtinsOf,
  noop,
  unsupportedOperation,
} from '../../grammar/builtin-operations.js';
import { splitDotted, type StepOf } from '../../grammar/workflow.js';
import { createReader, type Frame, type Place } from '../frame.js';
import { type Done, StepFailure } from '../result.js';
import { builtinArguments } from './builtin-arguments.js';

/** An operation is a plugin or built-in tool, and is called through the gateway like any other tool. */
export async function runOperation(step: StepOf<'operation'>, frame: Frame, place: Place): Promise<Done> {
  const { parts, workflow } = frame;
  const { operation = '' } = step.own;
  if (operation === noop) return { output: '', response: {} };
  const parsed = splitDotted(operation, workflow.plugins);
  if (parsed === undefined)
    throw new StepFailure(
      'WORKFLOW.PARSE.INVALID_VALUE',
      'An operation must have the form plugin.operation.',
    );
  const plugins = parts.plugins.list().map(({ name }) => name);
  const unsupported = unsupportedOperation(operation, parsed.plugin, plugins);
  if (unsupported !== undefined) throw new StepFailure('EXECUTION.OPERATION.UNSUPPORTED', unsupported);
  const builtins = builtinsOf(parsed.plugin, plugins);
  if (builtins === undefined) return runPlugins(step, parsed, frame, place);
  const builtin = Object.hasOwn(builtins, parsed.rest) ? builtins[parsed.rest] : undefined;
  if (builtin === undefined)
    throw new StepFailure(
      'EXECUTION.OPERATION.FAILED',
      `There is no operation ${JSON.stringify(operation)}.`,
    );
  return runBuiltin(step, builtin, frame, place);
}

async function runPlugins(
  step: StepOf<'operation'>,
  { plugin, rest }: { readonly plugin: string; readonly rest: string },
  frame: Frame,
  place: Place,
): Promise<Done> {
  const { parts } = frame;
  const offer = await parts.plugins.offer(plugin, place.signal);
  const known = offer.ok ? offer.value.operations.find(({ name }) => name === rest) : undefined;
  const name = known?.tool ?? `${plugin}_${rest}`;
  const reader = createReader(frame, step.name, place.loop);
  const input = reader.data(step.own.inputs ?? step.own.operation_inputs ?? {});
  const outcome = await call(name, input, parts.session, frame, place);
  if (outcome.kind === 'fault') {
    const why = outcome.fault.code === 'tool.not_found' && !offer.ok ? offer.fault : outcome.fault;
    throw new StepFailure('EXECUTION.OPERATION.FAILED', why.message);
  }
  return doneOf(answered(outcome), name);
}

async function runBuiltin(
  step: StepOf<'operation'>,
  builtin: BuiltinOperation,
  frame: Frame,
  place: Place,
): Promise<Done> {
  const { operation = '' } = step.own;
  const input = builtinArguments(step, builtin, createReader(frame, step.name, place.loop), frame.parts);
  const session = { ...frame.parts.session, isOperation: true } as const;
  const outcome = await call(builtin.tool, input, session, frame, place);
  if (outcome.kind === 'fault') throw builtinFailure(operation, builtin.tool, outcome.fault);
  return doneOf(answered(outcome), operation);
}

/** Like AWF, keeps the response of a request that failed because of its status. */
function builtinFailure(
  operation: string,
  tool: string,
  { code, message, reason, data = {} }: Fault,
): StepFailure {
  if (code === 'tool.not_found') {
    const why = `${operation} is not available in this run: it needs the tool ${tool}.`;
    const next = `allow ${tool} in the profile of the run, grant it to the caller that started the run, or check \`builtins\` in tidegate.yaml`;
    return new StepFailure('EXECUTION.OPERATION.FAILED', why, {}, next);
  }
  const done: Done = reason === 'retryable_status' ? { output: JSON.stringify(data), response: data } : {};
  return new StepFailure('EXECUTION.OPERATION.FAILED', `${operation} failed: ${message}`, done);
}

function call(
  name: string,
  input: unknown,
  session: Session,
  { parts }: Frame,
  place: Place,
): Promise<Outcome> {
  return parts.gateway.call(
    {
      id: parts.newRequestId(),
      session,
      client: { protocol: 'legacy', protocolVersion: 'workflow', capabilities: JsonText.from({}) },
      wanted: { kind: 'tool', name },
      params: JsonText.from({ name, arguments: input }),
      ...(place.trace && { trace: place.trace }),
    },
    createQuietExchange(place.signal),
  );
}

function answered(outcome: Exclude<Outcome, { readonly kind: 'fault' }>): unknown {
  if (outcome.kind !== 'asks') return outcome.result.value;
  const message = 'The operation asks for input, which a workflow cannot provide.';
  throw new StepFailure('EXECUTION.OPERATION.FAILED', message);
}

interface ToolResult {
  readonly isError?: boolean;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

function doneOf(value: unknown, name: string): Done {
  const { isError, content = [], structuredContent } = value as ToolResult;
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : [])).join('\n');
  const output = text === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : text;
  const done: Done = { output, response: structuredContent ?? readObject(output) };
  if (isError === true)
    throw new StepFailure('EXECUTION.OPERATION.FAILED', `${name} failed: ${output.slice(0, 300)}`, done);
  return done;
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  if (!isParsable(text)) return {};
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return {};
  }
}
