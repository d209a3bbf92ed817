import { messageOf } from '../lib/error-message.js';
import { type Exchange, ToolFailure } from '../core/index.js';
import { JsonText } from '../lib/json-text.js';
import type { ToolContext, ToolResult } from '../ports/tool-module.js';

/** A node's decision: go to a node with a payload, or exit with a result. */
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

/** Runs nodes until one exits. */
export async function runGraph(graph: Graph, input: unknown, context: ToolContext): Promise<ToolResult> {
  const { exchange } = context;
  let move: Move = goto(graph.first, input);
  for (let step = 0; step < graph.maxSteps; step += 1) {
    if (exchange.isCancelled) throw new ToolFailure('failed', 'The call was cancelled.');
    tellProgress(exchange, step, move.to);
    const node = graph.nodes[move.to];
    if (node === undefined) throw new Error(`The graph has no node ${move.to}.`);
    const next = await traced(exchange, move.to, () =>
      // `defineGraph` checks each payload against its node.
      node.run(move.payload as never, { ...context, goto, exit } as never),
    );
    if (!node.goals.includes(next.to))
      throw new Error(`Node ${move.to} went to ${next.to} without declaring it.`);
    // `defineGraph` lets a node exit only with a result of its tool.
    if (next.to === 'exit') return next.payload as ToolResult;
    move = next;
  }
  const message = `The tool did not finish within ${String(graph.maxSteps)} steps.`;
  throw new ToolFailure('failed', message, { reason: 'step_limit', suggestion: 'Make a smaller request.' });
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
    end?.(messageOf(error));
    throw error;
  }
}
