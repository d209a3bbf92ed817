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
  type ToolModule,
  type ToolPorts,
  type ToolResult,
} from '../../kernel/index.js';

/** Runs a tool with the ports that it named, and puts what it gives or throws into an outcome. */
export async function runTool(
  tool: ToolModule,
  call: Call,
  exchange: Exchange,
  services: PortServices,
): Promise<Outcome> {
  const { session } = call;
  const missing = await firstMissing(tool.needs ?? [], services);
  if (missing) return faulted(missing);
  const input = await tool.input['~standard'].validate(call.input);
  if (input.issues) return faulted(wrongInput(tool.name, input.issues));
  try {
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
  if (typeof result === 'string')
    return content(JsonText.from({ content: [{ type: 'text', text: result }] }));
  if (isObject(result) && 'content' in result && Array.isArray(result.content))
    return content(JsonText.from(result));
  return faulted(badOutput(name, 'it gave no result'));
}

/** Types are not believed: tools of a workspace may have been compiled by nobody. */
async function typedOutcome(name: string, output: Schema, result: ToolResult): Promise<Outcome> {
  if (!isObject(result) || !('data' in result)) return faulted(badOutput(name, 'it gave no data'));
  const checked = await output['~standard'].validate(result.data);
  if (checked.issues) return faulted(badOutput(name, wordsOf(checked.issues).join('; ')));
  const { text = JSON.stringify(checked.value), content: more = [] } = result;
  return content(
    JsonText.from({ content: [{ type: 'text', text }, ...more], structuredContent: checked.value }),
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

function failureOf(error: unknown): Fault {
  if (!isToolFailure(error)) {
    const message = error instanceof Error ? error.message : String(error);
    const detail = error instanceof Error ? error.stack : undefined;
    return createFault('work.failed', message || 'The tool failed without a word.', {
      ...(detail !== undefined && { detail }),
    });
  }
  const { details, ...facts } = error.facts;
  return createFault(`work.${error.code}`, error.message, { ...facts, ...(details && { data: details }) });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
