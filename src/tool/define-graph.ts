import type { Effect, OutputOf, PortName, ToolContext, ToolModule } from '../kernel/index.js';
import { type ObjectSchema, type ResultOf, type ToolWords } from './define-tool.js';
import { type Move, runGraph } from './run-graph.js';

declare const payloadType: unique symbol;

/** Says what a node is handed. It has no value, only a type. */
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

/** The nodes that the input of the tool fits. */
type Entrance<P extends Payloads, Input> = {
  readonly [N in Name<P>]: [Input] extends [TypeOf<P[N]>] ? N : never;
}[Name<P>];

declare const moveTo: unique symbol;

/** A move that goes where its type says. Only `goto` and `exit` make one. */
interface MoveTo<To> extends Move {
  readonly [moveTo]: To;
}

type Goto<P extends Payloads, Goals extends Goal<P>> = <N extends Goals & Name<P>>(
  node: N,
  payload: TypeOf<P[N]>,
) => MoveTo<N>;

type Exit<Result, Goals> = 'exit' extends Goals ? (result: Result) => MoveTo<'exit'> : never;

/** What a node may use: the ports of its tool, and the ways out that it declared. */
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

/** Makes a node: its name, where it may go, and its code. */
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
  /** What each node is handed. */
  readonly payloads: P;
  /** The node that is handed the input. */
  readonly first: Entrance<P, OutputOf<Input>>;
  /** How many nodes may run before the tool gives up; 100 when left out. */
  readonly maxSteps?: number;
  readonly nodes: (node: NodeMaker<P, ResultOf<Output>, ToolContext<Needs, Exclude<Optional, Needs>>>) => {
    readonly [N in Name<P>]: GraphNode<N>;
  };
}

/** Defines a tool made of typed nodes. To everyone else it is a tool like any other. */
export function defineGraph<
  E extends Effect,
  Input extends ObjectSchema,
  P extends Payloads,
  Output extends ObjectSchema | undefined = undefined,
  Needs extends PortName = never,
  Optional extends PortName = never,
>(definition: GraphDefinition<E, Input, Output, Needs, Optional, P>): ToolModule;
// As with `defineTool`: what the types above promise, the gate and `runGraph` keep.
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

/** Where nobody compiled the graph, its mistakes are told when it is defined and not when it is called. */
function refuseLooseEnds(
  { name, first }: LooseGraph,
  nodes: Readonly<Record<string, GraphNode<string>>>,
): void {
  if (!Object.hasOwn(nodes, first)) throw new Error(`${name}: there is no node ${first} to begin with`);
  for (const [from, { goals }] of Object.entries(nodes)) {
    const lost = goals.find((goal) => goal !== 'exit' && !Object.hasOwn(nodes, goal));
    if (lost !== undefined) throw new Error(`${name}: ${from} goes to ${lost}, and there is no such node`);
  }
}
