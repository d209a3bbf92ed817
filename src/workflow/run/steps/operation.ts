import { createQuietExchange, JsonText } from '../../../kernel/index.js';
import { splitDotted, type StepOf } from '../../grammar/workflow.js';
import { createReader, type Frame, type Place } from '../frame.js';
import { type Done, StepFailure } from '../result.js';

/** An operation of a plugin is a tool, and is called through the gate like any other. */
export async function runOperation(step: StepOf<'operation'>, frame: Frame, place: Place): Promise<Done> {
  const { parts, workflow } = frame;
  const parsed = splitDotted(step.own.operation ?? '', workflow.plugins);
  if (parsed === undefined)
    throw new StepFailure('WORKFLOW.PARSE.INVALID_VALUE', 'An operation is written plugin.operation.');
  const offer = await parts.plugins.offer(parsed.plugin, place.signal);
  const known = offer.ok ? offer.value.operations.find(({ name }) => name === parsed.rest) : undefined;
  const name = known?.tool ?? `${parsed.plugin}_${parsed.rest}`;
  const reader = createReader(frame, step.name, place.loop);
  const input = reader.data(step.own.inputs ?? step.own.operation_inputs ?? {});
  const outcome = await parts.gateway.call(
    {
      id: parts.newRequestId(),
      session: parts.session,
      client: { era: 'legacy', protocolVersion: 'workflow', capabilities: JsonText.from({}) },
      wanted: { kind: 'tool', name },
      params: JsonText.from({ name, arguments: input }),
      ...(place.trace && { trace: place.trace }),
    },
    createQuietExchange(place.signal),
  );
  if (outcome.kind === 'fault') {
    const why = outcome.fault.code === 'tool.not_found' && !offer.ok ? offer.fault : outcome.fault;
    throw new StepFailure('EXECUTION.OPERATION.FAILED', why.message);
  }
  if (outcome.kind === 'asks')
    throw new StepFailure(
      'EXECUTION.OPERATION.FAILED',
      'The operation asks a question that nobody here can answer.',
    );
  return doneOf(outcome.result.value, name);
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
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}
