import { asRecord, isRecord } from '../../lib/is-record.js';
import {
  type Call,
  content,
  createFault,
  type Exchange,
  type Fault,
  faulted,
  isToolFailure,
  type Outcome,
  type Schema,
  type SchemaIssue,
  type Session,
  type ToolFailure,
  type PortName,
} from '../../core/index.js';
import type { ContentBlock, ToolContext, ToolModule, ToolResult } from '../../ports/tool-module.js';
import { JsonText } from '../../lib/json-text.js';
import type { PortServices, ToolPorts } from '../../ports/tool-ports.js';

/** Loads and runs a tool with the ports that it needs, and converts its result or error to an outcome. */
export async function runTool(
  load: () => Promise<ToolModule>,
  call: Call,
  exchange: Exchange,
  services: PortServices,
): Promise<Outcome> {
  const { session } = call;
  try {
    const tool = await load();
    const missing = await firstMissing(tool.needs ?? [], services);
    if (missing) return faulted(missing);
    const input = await tool.input['~standard'].validate(call.input);
    if (input.issues) return faulted(wrongInput(tool.name, input.issues));
    const ports = await openPorts(tool, services, session);
    // Safe: the schema of this tool produced the value.
    const result = await tool.run(input.value as never, { exchange, session, ports });
    return await outcomeOf(tool, result, call.ignored);
  } catch (error) {
    return faulted(failureOf(error));
  }
}

/** Checks only the ports that this tool needs, so that a missing one does not affect other tools. */
async function firstMissing(needs: readonly PortName[], services: PortServices): Promise<Fault | undefined> {
  for (const need of needs) {
    const readiness = await services[need]?.readiness();
    if (readiness === undefined) {
      const message = `This tool needs ${need}, which is disabled.`;
      return createFault('need.unavailable', message, { data: { need } });
    }
    if (readiness.state === 'starting') {
      const message = `This tool needs ${need}, which is still starting: ${readiness.reason}.`;
      const data = { need, retry_after_ms: readiness.retryAfterMs };
      return createFault('need.starting', message, { data });
    }
    if (readiness.state === 'unavailable') {
      const message = `This tool needs ${need}, which is not available: ${readiness.reason}.`;
      const { suggestion } = readiness;
      return createFault('need.unavailable', message, { data: { need }, suggestion });
    }
  }
  return undefined;
}

async function openPorts(
  { needs = [], optional = [] }: ToolModule,
  services: PortServices,
  session: Session,
): Promise<ToolContext<PortName, PortName>['ports']> {
  const opened: Partial<Record<PortName, unknown>> = {};
  for (const need of needs) opened[need] = await services[need]?.serve(session);
  for (const name of optional) {
    const service = services[name];
    const readiness = await service?.readiness();
    if (readiness?.state === 'ready') opened[name] = await service?.serve(session);
  }
  // Safe: the type `PortServices` maps each service to the port with the same name.
  return opened as ToolPorts;
}

async function outcomeOf(
  { name, output }: ToolModule,
  result: ToolResult,
  ignored: readonly string[] = [],
): Promise<Outcome> {
  const notes = ignored.length === 0 ? [] : [{ type: 'text', text: ignoredText(ignored) }];
  if (output !== undefined) return typedOutcome(name, output, result, notes, ignored);
  if (typeof result === 'string')
    return encoded(name, { content: [{ type: 'text', text: result }, ...notes] });
  if (!isRecord(result) || !('content' in result)) return faulted(badOutput(name, 'it returned no result'));
  return areBlocks(result.content)
    ? encoded(name, { content: [...result.content, ...notes] })
    : faulted(badOutput(name, 'its content is not a list of blocks'));
}

/** Checks types at run time, because workspace tools may not have been type-checked. */
async function typedOutcome(
  name: string,
  output: Schema,
  result: unknown,
  notes: readonly ContentBlock[],
  ignored: readonly string[],
): Promise<Outcome> {
  if (!isRecord(result) || !('data' in result)) return faulted(badOutput(name, 'it returned no data'));
  const checked = await output['~standard'].validate(result['data']);
  if (checked.issues) return faulted(badOutput(name, describeIssues(checked.issues).join('; ')));
  const { text = JSON.stringify(checked.value), content: more = [] } = result;
  if (typeof text !== 'string' || !areBlocks(more))
    return faulted(badOutput(name, 'its content is not a list of blocks'));
  // Some clients show the model only one of `content` and `structuredContent`.
  const structuredContent =
    ignored.length > 0 && isRecord(checked.value)
      ? { ...checked.value, ignored_arguments: ignored }
      : checked.value;
  return encoded(name, { content: [{ type: 'text', text }, ...more, ...notes], structuredContent });
}

function ignoredText(ignored: readonly string[]): string {
  return `Unknown arguments were ignored: ${ignored.join(', ')}.`;
}

/** The limit for results, because every gateway and agent on the way has to hold them in memory. */
const longestResult = 32 * 1024 * 1024;

function encoded(name: string, result: object): Outcome {
  const text = JSON.stringify(result);
  if (text.length <= longestResult) return content(new JsonText(text));
  const message = `The result of ${name} is too large to pass on (${String(text.length)} characters).`;
  const suggestion = 'Request less data per call.';
  return faulted(createFault('work.failed', message, { reason: 'too_large', suggestion }));
}

function areBlocks(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.every((block) => typeof asRecord(block)['type'] === 'string');
}

function badOutput(name: string, problem: string): Fault {
  const message = `${name} ran, but its result does not match its output schema: ${problem}.`;
  const suggestion =
    'Check what happened before you call it again, and report this to the author of the tool.';
  return createFault('work.failed', message, { reason: 'bad_output', suggestion });
}

/** Used for problems found by the JSON Schema and by the tool's own schema, so that both look the same. */
export function wrongInput(name: string, problems: readonly (string | SchemaIssue)[]): Fault {
  const words = describeIssues(problems);
  const message = `Invalid arguments for ${name}: ${words.join('; ')}.`;
  return createFault('input.invalid', message, { data: { issues: words } });
}

function describeIssues(problems: readonly (string | SchemaIssue)[]): readonly string[] {
  return problems.slice(0, 8).map((problem) => {
    if (typeof problem === 'string') return problem;
    const path = (problem.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part));
    return `${path.join('/') || 'arguments'}: ${problem.message}`;
  });
}

/** Converts anything thrown to a fault, even values that throw when they are read. */
function failureOf(error: unknown): Fault {
  try {
    return isToolFailure(error) ? toldFailure(error) : untoldFailure(error);
  } catch {
    return createFault('work.failed', 'The tool failed without an error message.');
  }
}

function untoldFailure(error: unknown): Fault {
  const isError = error instanceof Error;
  const message = String(isError ? error.message : error) || 'The tool failed without an error message.';
  return createFault('work.failed', message, { ...(isError && { detail: String(error.stack) }) });
}

function toldFailure({
  code,
  message,
  facts: { details, reason, suggestion, retryable },
}: ToolFailure): Fault {
  return createFault(`work.${code}`, message, {
    ...(reason !== undefined && { reason }),
    ...(suggestion !== undefined && { suggestion }),
    ...(retryable !== undefined && { retryable }),
    // Copy it as JSON, because other values would break the response later.
    ...(details && { data: JSON.parse(JSON.stringify(details)) as Readonly<Record<string, unknown>> }),
  });
}
