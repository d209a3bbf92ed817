import type { Effect, OutputOf, PortName } from '../core/index.js';
import type { ToolContext, ToolModule } from '../ports/tool-module.js';
import { type ObjectSchema, type ResultOf, type ToolWords } from './define-tool.js';
import { type Move, runGraph } from './run-graph.js';

declare const payloadType: unique symbol;

/** Declares the payload type of a node. Type only, no value. */
export interface Payload<Type> {
  readonly [payloadType]?: Type;
}

export function payload<Type>(): Payload<Type> {
  return {};
}

type Payloads = Readonly<Record<string, Payload<unknown>>>;
type TypeOf<P> = P extends Payload<infer Type> ? Type : never;
type Name<P extends Payloads> = keyof P & string;
type Goal<P extends Payloads> = Name<P> | 'exit';

/** Nodes whose payload matches the tool's input. */
type Entrance<P extends Payloads, Input> = {
  readonly [N in Name<P>]: [Input] extends [TypeOf<P[N]>] ? N : never;
}[Name<P>];

declare const moveTo: unique symbol;

/** A move to a known node. Only `goto` and `exit` create one. */
interface MoveTo<To> extends Move {
  readonly [moveTo]: To;
}

type Goto<P extends Payloads, Goals extends Goal<P>> = <N extends Goals & Name<P>>(
  node: N,
  payload: TypeOf<P[N]>,
) => MoveTo<N>;

type Exit<Result, Goals> = 'exit' extends Goals ? (result: Result) => MoveTo<'exit'> : never;

/** What a node can use: the ports of its tool, and the moves it declared. */
export type NodeContext<P extends Payloads, Goals extends Goal<P>, Result, Context> = Context & {
  readonly goto: Goto<P, Goals>;
  readonly exit: Exit<Result, Goals>;
};

declare const nodeName: unique symbol;

export interface GraphNode<N extends string> {
  readonly [nodeName]?: N;
  readonly goals: readonly string[];
  run(payload: never, context: never): Move | Promise<Move>;
}

/** Defines a node: name, possible next nodes, and code. */
export type NodeMaker<P extends Payloads, Result, Context> = <N extends Name<P>, const Goals extends Goal<P>>(
  name: N,
  goals: readonly Goals[],
  run: (
    payload: TypeOf<P[N]>,
    context: NodeContext<P, Goals, Result, Context>,
  ) => MoveTo<Goals> | Promise<MoveTo<Goals>>,
) => GraphNode<N>;

export interface GraphDefinition<
  E extends Effect,
  Input extends ObjectSchema,
  Output extends ObjectSchema | undefined,
  Needs extends PortName,
  Optional extends PortName,
  P extends Payloads,
> extends ToolWords<E, Input, Output, Needs, Optional> {
  /** The payload of each node. */
  readonly payloads: P;
  /** The node that receives the input. */
  readonly first: Entrance<P, OutputOf<Input>>;
  /** Maximum number of node runs. Default: 100. */
  readonly maxSteps?: number;
  readonly nodes: (node: NodeMaker<P, ResultOf<Output>, ToolContext<Needs, Exclude<Optional, Needs>>>) => {
    readonly [N in Name<P>]: GraphNode<N>;
  };
}

/** Defines a tool made of typed nodes. From outside it is a normal tool. */
export function defineGraph<
  E extends Effect,
  Input extends ObjectSchema,
  P extends Payloads,
  Output extends ObjectSchema | undefined = undefined,
  Needs extends PortName = never,
  Optional extends PortName = never,
>(definition: GraphDefinition<E, Input, Output, Needs, Optional, P>): ToolModule;
// The gateway and `runGraph` guarantee the types above, as for `defineTool`.
export function defineGraph(definition: object): ToolModule {
  const { payloads: _payloads, first, maxSteps = 100, nodes: makeNodes, ...words } = definition as LooseGraph;
  const nodes = makeNodes((_name, goals, run) => ({ goals, run }));
  refuseLooseEnds(definition as LooseGraph, nodes);
  const edges = Object.fromEntries(Object.entries(nodes).map(([name, { goals }]) => [name, goals]));
  const run: ToolModule['run'] = (input, context) => runGraph({ nodes, first, maxSteps }, input, context);
  return Object.freeze({ ...words, graph: { first, edges }, run });
}

interface LooseGraph extends Omit<ToolModule, 'run' | 'graph'> {
  readonly payloads: Payloads;
  readonly first: string;
  readonly maxSteps?: number;
  readonly nodes: (node: LooseMaker) => Readonly<Record<string, GraphNode<string>>>;
}

type LooseMaker = (
  name: string,
  goals: readonly string[],
  run: GraphNode<string>['run'],
) => GraphNode<string>;

/** Checks graphs that were not type-checked, so that errors show up at definition and not at the first call. */
function refuseLooseEnds(
  { name, first }: LooseGraph,
  nodes: Readonly<Record<string, GraphNode<string>>>,
): void {
  if (!Object.hasOwn(nodes, first)) throw new Error(`${name}: the first node ${first} does not exist`);
  for (const [from, { goals }] of Object.entries(nodes)) {
    const lost = goals.find((goal) => goal !== 'exit' && !Object.hasOwn(nodes, goal));
    if (lost !== undefined) throw new Error(`${name}: node ${from} goes to unknown node ${lost}`);
  }
}
