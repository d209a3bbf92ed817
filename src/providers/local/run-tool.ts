import {
  type Call,
  content,
  createFault,
  type Exchange,
  type Fault,
  faulted,
  isToolFailure,
  JsonText,
  type Outcome,
  type PortName,
  type PortServices,
  type Schema,
  type SchemaIssue,
  type Session,
  type ToolContext,
  type ToolFailure,
  type ToolModule,
  type ToolPorts,
  type ToolResult,
} from '../../kernel/index.js';

/** Loads and runs a tool with the ports that it named, and puts what it gives or throws into an outcome. */
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
    // The schema of this very tool made the value.
    const result = await tool.run(input.value as never, { exchange, session, ports });
    return await outcomeOf(tool, result);
  } catch (error) {
    return faulted(failureOf(error));
  }
}

/** Only what this tool needs is looked at: a dependency that is missing stops nobody else. */
async function firstMissing(needs: readonly PortName[], services: PortServices): Promise<Fault | undefined> {
  for (const need of needs) {
    const readiness = await services[need]?.readiness();
    if (readiness === undefined) {
      const message = `This tool needs ${need}, which is switched off here.`;
      return createFault('need.unavailable', message, { data: { need } });
    }
    if (readiness.state === 'starting') {
      const message = `This tool needs ${need}, which is still starting: ${readiness.reason}.`;
      const data = { need, retry_after_ms: readiness.retryAfterMs };
      return createFault('need.starting', message, { data });
    }
    if (readiness.state === 'unavailable') {
      const message = `This tool needs ${need}, which is not there: ${readiness.reason}.`;
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
  // Each service serves the port of its own name, by the type of `PortServices`.
  return opened as ToolPorts;
}

async function outcomeOf({ name, output }: ToolModule, result: ToolResult): Promise<Outcome> {
  if (output !== undefined) return typedOutcome(name, output, result);
  if (typeof result === 'string') return encoded(name, { content: [{ type: 'text', text: result }] });
  if (!isObject(result) || !('content' in result)) return faulted(badOutput(name, 'it gave no result'));
  return areBlocks(result.content)
    ? encoded(name, { content: result.content })
    : faulted(badOutput(name, 'its content is not a list of blocks'));
}

/** Types are not believed: tools of a workspace may have been compiled by nobody. */
async function typedOutcome(name: string, output: Schema, result: ToolResult): Promise<Outcome> {
  if (!isObject(result) || !('data' in result)) return faulted(badOutput(name, 'it gave no data'));
  const checked = await output['~standard'].validate(result.data);
  if (checked.issues) return faulted(badOutput(name, wordsOf(checked.issues).join('; ')));
  const { text = JSON.stringify(checked.value), content: more = [] } = result;
  if (typeof text !== 'string' || !areBlocks(more))
    return faulted(badOutput(name, 'its content is not a list of blocks'));
  return encoded(name, { content: [{ type: 'text', text }, ...more], structuredContent: checked.value });
}

/** Nobody can read more than this, and every gate and agent on the way would have to hold it. */
const longestResult = 32 * 1024 * 1024;

function encoded(name: string, result: object): Outcome {
  const text = JSON.stringify(result);
  if (text.length <= longestResult) return content(new JsonText(text));
  const message = `${name} gave ${String(text.length)} characters, more than can be passed on.`;
  const suggestion = 'Ask it for less at once.';
  return faulted(createFault('work.failed', message, { reason: 'too_large', suggestion }));
}

function areBlocks(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((block) => isObject(block) && 'type' in block && typeof block.type === 'string')
  );
}

function badOutput(name: string, problem: string): Fault {
  const message = `${name} ran, but its result does not fit what it promised: ${problem}.`;
  const suggestion = 'Check what happened before you call again, and report it to the author of the tool.';
  return createFault('work.failed', message, { reason: 'bad_output', suggestion });
}

/** The same words whether the JSON Schema of the card or the tool's own schema found the problem. */
export function wrongInput(name: string, problems: readonly (string | SchemaIssue)[]): Fault {
  const words = wordsOf(problems);
  const message = `The arguments of ${name} are not right: ${words.join('; ')}.`;
  return createFault('input.invalid', message, { data: { issues: words } });
}

function wordsOf(problems: readonly (string | SchemaIssue)[]): readonly string[] {
  return problems.slice(0, 8).map((problem) => {
    if (typeof problem === 'string') return problem;
    const path = (problem.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part));
    return `${path.join('/') || 'arguments'}: ${problem.message}`;
  });
}

/** Whatever was thrown: what cannot even be asked what it says has failed without a word. */
function failureOf(error: unknown): Fault {
  try {
    return isToolFailure(error) ? toldFailure(error) : untoldFailure(error);
  } catch {
    return createFault('work.failed', 'The tool failed without a word.');
  }
}

function untoldFailure(error: unknown): Fault {
  const isError = error instanceof Error;
  const message = String(isError ? error.message : error) || 'The tool failed without a word.';
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
    // As data, or not at all: what JSON cannot say would break the answer later.
    ...(details && { data: JSON.parse(JSON.stringify(details)) as Readonly<Record<string, unknown>> }),
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
