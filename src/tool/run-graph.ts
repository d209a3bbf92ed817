import { type Exchange, JsonText, type ToolContext, ToolFailure, type ToolResult } from '../kernel/index.js';

/** What a node decides: where to go with what, or to end with a result. */
export interface Move {
  readonly to: string;
  readonly payload: unknown;
}

export interface Graph {
  readonly first: string;
  readonly maxSteps: number;
  readonly nodes: Readonly<Record<string, RunnableNode>>;
}

interface RunnableNode {
  readonly goals: readonly string[];
  run(payload: never, context: never): Move | Promise<Move>;
}

const goto = (to: string, payload: unknown): Move => ({ to, payload });
const exit = (result: unknown): Move => ({ to: 'exit', payload: result });

/** Goes from node to node until one exits. */
export async function runGraph(graph: Graph, input: unknown, context: ToolContext): Promise<ToolResult> {
  const { exchange } = context;
  let move: Move = goto(graph.first, input);
  for (let step = 0; step < graph.maxSteps; step += 1) {
    if (exchange.isCancelled) throw new ToolFailure('failed', 'The call was cancelled.');
    tellProgress(exchange, step, move.to);
    const node = graph.nodes[move.to];
    if (node === undefined) throw new Error(`The graph has no node ${move.to}.`);
    const next = await traced(exchange, move.to, () =>
      // The types of `defineGraph` tie each payload to its node.
      node.run(move.payload as never, { ...context, goto, exit } as never),
    );
    if (!node.goals.includes(next.to))
      throw new Error(`Node ${move.to} went to ${next.to}, which it never declared.`);
    // The types of `defineGraph` let a node exit only with a result of its tool.
    if (next.to === 'exit') return next.payload as ToolResult;
    move = next;
  }
  const message = `The tool came to no end within ${String(graph.maxSteps)} steps.`;
  throw new ToolFailure('failed', message, { reason: 'step_limit', suggestion: 'Ask for less at once.' });
}

function tellProgress(exchange: Exchange, progress: number, message: string): void {
  if (exchange.wantsProgress) exchange.progress(JsonText.from({ progress, message }));
}

async function traced<T>(exchange: Exchange, name: string, run: () => T | Promise<T>): Promise<T> {
  const end = exchange.step?.(name);
  try {
    const result = await run();
    end?.();
    return result;
  } catch (error) {
    end?.(error instanceof Error ? error.message : String(error));
    throw error;
  }
}
