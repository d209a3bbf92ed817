import {
  createFault,
  depthOf,
  JsonText,
  maxDepth,
  membersOf,
  type Outcome,
  type Request,
  textOf,
  type ToolSpec,
  withMembers,
} from '../kernel/index.js';
import { bridgeName, searchName } from '../surface/index.js';

/**
 * The call that a request through the bridge stands for: the same request, under the name of the real tool. Whatever
 * judges, records or answers it never learns of another. Undefined: the bridge itself answers.
 */
export function throughBridge(request: Request, aliases: Aliases = {}): Request | undefined {
  const { params } = request;
  const { arguments: outer } = params.value as { readonly arguments?: unknown };
  if (!isObject(outer)) return undefined;
  const keyOf = (argument: string): string =>
    [argument, ...(aliases[argument] ?? [])].find((key) => Object.hasOwn(outer, key)) ?? argument;
  const name = outer[keyOf('name')];
  // Only a name says what is wanted, and the bridge leads neither to itself nor to where tools are found.
  if (typeof name !== 'string' || name === bridgeName || name === searchName) return undefined;
  const inner = argumentsIn(params.text, outer, keyOf('arguments'));
  if (inner === undefined) return undefined;
  const text = withMembers(params.text, { name: JSON.stringify(name), arguments: inner });
  return { ...request, wanted: { kind: 'tool', name }, params: new JsonText(text), via: bridgeName };
}

type Aliases = NonNullable<ToolSpec['aliases']>;

export function isBridge({ wanted, via }: Request): boolean {
  return wanted.kind === 'tool' && wanted.name === bridgeName && via === undefined;
}

/** As they were written: numbers and spellings that we cannot hold are not ours to change. */
function argumentsIn(
  params: string,
  outer: Readonly<Record<string, unknown>>,
  key: string,
): string | undefined {
  const given = outer[key] ?? {};
  if (typeof given === 'string') return objectIn(given);
  if (!isObject(given)) return undefined;
  const text = textOf(params, membersOf(params), 'arguments') ?? '{}';
  const written = textOf(text, membersOf(text), key);
  return written === undefined || written === 'null' ? '{}' : written;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Some models write the arguments as text. */
function objectIn(text: string): string | undefined {
  if (text.trim() === '') return '{}';
  // A message is held to this depth where it comes in; a text within it is not.
  if (depthOf(text, maxDepth) > maxDepth) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** To whoever called the bridge, a tool that is not there is a wrong argument: the bridge itself is there. */
export function toldByBridge(outcome: Outcome): Outcome {
  if (outcome.kind !== 'fault' || outcome.fault.code !== 'tool.not_found') return outcome;
  const fault = createFault('input.invalid', `${outcome.fault.message}.`, {
    reason: 'unknown_tool',
    suggestion: 'Find tools with tool_search and use a name from its answer.',
  });
  return { kind: 'fault', fault };
}
