import { isRecord } from '../lib/is-record.js';
import { clientAdditions, createFault, type Outcome, type Request, type ToolSpec } from '../core/index.js';
import { JsonText, membersOf, textOf, withMembers } from '../lib/json-text.js';
import { duplicateKey } from '../lib/json-scan.js';
import { isParsable } from '../lib/json-rpc.js';
import { callToolName, searchName } from '../exposure/index.js';

/**
 * Rewrites a `call_tool` request into a request for the real tool, so that access checks, records and results are those
 * of the real tool. Undefined: `call_tool` itself answers.
 */
export function throughCallTool(request: Request, aliases: Aliases = {}): Request | undefined {
  const { params } = request;
  const { arguments: outer } = params.value as { readonly arguments?: unknown };
  if (!isRecord(outer)) return undefined;
  // Unknown arguments of call_tool must be reported, not dropped, so call_tool itself answers.
  const known = ['name', 'arguments'].flatMap((argument) => [argument, ...(aliases[argument] ?? [])]);
  if (!Object.keys(outer).every((key) => known.includes(key) || clientAdditions.has(key))) return undefined;
  const keyOf = (argument: string): string =>
    [argument, ...(aliases[argument] ?? [])].find((key) => Object.hasOwn(outer, key)) ?? argument;
  const name = outer[keyOf('name')];
  // call_tool needs a tool name, and calls neither itself nor tool_search.
  if (typeof name !== 'string' || name === callToolName || name === searchName) return undefined;
  const inner = argumentsIn(params.text, outer, keyOf('arguments'));
  if (inner === undefined) return undefined;
  const text = withMembers(params.text, { name: JSON.stringify(name), arguments: inner });
  return { ...request, wanted: { kind: 'tool', name }, params: new JsonText(text), via: callToolName };
}

type Aliases = NonNullable<ToolSpec['aliases']>;

export function isCallTool({ wanted, via }: Request): boolean {
  return wanted.kind === 'tool' && wanted.name === callToolName && via === undefined;
}

/** The original text, because parsing would lose large numbers and their spelling. */
function argumentsIn(
  params: string,
  outer: Readonly<Record<string, unknown>>,
  key: string,
): string | undefined {
  const given = outer[key] ?? {};
  if (typeof given === 'string') return objectIn(given);
  if (!isRecord(given)) return undefined;
  const text = textOf(params, membersOf(params), 'arguments') ?? '{}';
  const written = textOf(text, membersOf(text), key);
  return written === undefined || written === 'null' ? '{}' : written;
}

/** Some models send the arguments as a JSON string. */
function objectIn(text: string): string | undefined {
  if (text.trim() === '') return '{}';
  // Limits were checked for the message, but not for JSON inside its strings.
  if (!isParsable(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && duplicateKey(text) === undefined ? text : undefined;
  } catch {
    return undefined;
  }
}

/** call_tool itself exists, so an unknown tool behind it is an invalid argument, not an unknown tool. */
export function toldByCallTool(outcome: Outcome): Outcome {
  if (outcome.kind !== 'fault' || outcome.fault.code !== 'tool.not_found') return outcome;
  const fault = createFault('input.invalid', `${outcome.fault.message}.`, {
    reason: 'unknown_tool',
    suggestion: 'Find tools with tool_search and use a name from its result.',
  });
  return { kind: 'fault', fault };
}
