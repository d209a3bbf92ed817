import {
  type Call,
  type Catalogue,
  content,
  createFault,
  emptyCatalogue,
  type Exchange,
  faulted,
  JsonText,
  type Outcome,
  type Parsed,
  type Provider,
  type Source,
  type Target,
  type ToolModule,
  type ToolOutput,
  type ToolSpec,
} from '../../kernel/index.js';
import { createArgumentCheck } from './check-arguments.js';

/** A provider of tools that run here. */
export function createLocalProvider(id: string, source: Source, tools: readonly ToolModule[]): Provider {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  if (byName.size < tools.length) throw new Error(`${id}: two tools have the same name`);
  const checks = new Map(tools.map((tool) => [tool.name, createArgumentCheck(tool.inputSchema)]));
  const catalogue: Catalogue = { ...emptyCatalogue, tools: tools.map((tool) => specOf(tool, source)) };

  function parse(target: Target, params: JsonText): Parsed {
    const { arguments: given = {} } = params.value as { readonly arguments?: unknown };
    if (target.kind !== 'tool') return { ok: true, input: given };
    const problems = checks.get(target.spec.localName)?.(given) ?? [];
    if (problems.length === 0) return { ok: true, input: given };
    const message = `The arguments of ${target.spec.name} are not right: ${problems.join('; ')}.`;
    const { inputSchema } = target.spec.definition.value as { readonly inputSchema?: unknown };
    return { ok: false, fault: createFault('input.invalid', message, { data: { inputSchema } }) };
  }

  async function call(admitted: Call, exchange: Exchange): Promise<Outcome> {
    const tool = admitted.target.kind === 'tool' ? byName.get(admitted.target.spec.localName) : undefined;
    if (tool === undefined) return faulted(createFault('internal', 'The gate lost this tool.'));
    try {
      // `parse` checked the input against this tool's own schema.
      return content(
        resultOf(await tool.run(admitted.input as never, { exchange, session: admitted.session })),
      );
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return content(JsonText.from({ content: [{ type: 'text', text }], isError: true }));
    }
  }

  return {
    id,
    source,
    status: () => ({ state: 'ready', restarts: 0 }),
    list: () => catalogue,
    ready: () => Promise.resolve(),
    parse,
    call,
    mayHave: () => false,
    watch: () => Promise.resolve(() => {}),
    onChange: () => () => {},
    rootsChanged: () => {},
    close: () => Promise.resolve(),
  };
}

function resultOf(output: ToolOutput): JsonText {
  if (typeof output === 'string') return JsonText.from({ content: [{ type: 'text', text: output }] });
  if (!hasContent(output)) throw new Error('The tool gave no result.');
  return JsonText.from(output);
}

/** Workspace tools are written by others, so their types are not believed. */
function hasContent(output: unknown): boolean {
  return (
    typeof output === 'object' && output !== null && 'content' in output && Array.isArray(output.content)
  );
}

function specOf(tool: ToolModule, source: Source): ToolSpec {
  const hints = tool.hints ?? {};
  const { name, title, description, inputSchema } = tool;
  const annotations = {
    title,
    readOnlyHint: hints.readOnly ?? tool.effect === 'read',
    destructiveHint: hints.destructive ?? tool.effect === 'execute',
    idempotentHint: hints.idempotent ?? tool.effect === 'read',
    openWorldHint: hints.openWorld ?? tool.effect === 'execute',
  };
  return {
    kind: 'tool',
    name,
    localName: name,
    source,
    effect: tool.effect,
    hints,
    definition: JsonText.from({ name, title, description, inputSchema, annotations }),
  };
}
