import type { Call, Target } from '../../core/index.js';
import { hasDuplicateKeys, type Member, memberOf, membersOf, withMembers } from '../../lib/json-text.js';

/** Members to set (text) or to remove (undefined). */
export type Changes = Readonly<Record<string, string | undefined>>;

export function methodOf(target: Target): string {
  if (target.kind === 'tool') return 'tools/call';
  if (target.kind === 'prompt') return 'prompts/get';
  return target.kind === 'resource' ? 'resources/read' : 'completion/complete';
}

/** The server's own name for the target; undefined for completions. */
export function nameOf(target: Target): string | undefined {
  if (target.kind === 'resource') return target.uri;
  return target.kind === 'completion' ? undefined : target.spec.localName;
}

/**
 * The caller's params for the server: with its own name for the target, and `meta` and `answers` set. Everything else stays
 * as written. Undefined if a key is duplicated, because two readers could then see two different calls.
 */
export function paramsFor(call: Call, meta: Changes, answers: Changes): string | undefined {
  const { text, members } = call.params;
  if (hasDuplicateKeys(members)) return undefined;
  const metaText = metaChange(text, memberOf(members, '_meta'), meta);
  const given = withoutAddition(call);
  if (metaText === unchanged && given === undefined && !touches(members, answers))
    return renamed(call.target, text, members);
  const name = targetChange(call.target, text, members);
  return withMembers(text, {
    ...name,
    ...given,
    ...answers,
    ...(metaText !== unchanged && { _meta: metaText.text }),
  });
}

/** This client adds an argument to every tool and sends it to servers that do not know it. */
const addition = { client: 'gemini-cli-mcp-client', argument: 'wait_for_previous' } as const;

function withoutAddition({ params, client, target }: Call): Changes | undefined {
  const { text, members } = params;
  if (target.kind !== 'tool' || !text.includes(addition.argument)) return undefined;
  const { name } = (client.info?.value ?? {}) as { readonly name?: unknown };
  const { inputSchema } = target.spec.definition.value as {
    readonly inputSchema?: { readonly properties?: object };
  };
  const properties = inputSchema?.properties;
  if (name !== addition.client || (properties && addition.argument in properties)) return undefined;
  const given = memberOf(members, 'arguments');
  if (given === undefined || text[given.start] !== '{') return undefined;
  return { arguments: withMembers(text.slice(given.start, given.end), { [addition.argument]: undefined }) };
}

/** The common case: only the name differs. */
function renamed(target: Target, text: string, members: readonly Member[]): string {
  if (target.kind === 'resource') return text;
  if (target.kind === 'completion') {
    const change = targetChange(target, text, members);
    return change === undefined ? text : withMembers(text, change);
  }
  const { name, localName } = target.spec;
  const member = memberOf(members, 'name');
  if (name === localName || member === undefined) return text;
  return text.slice(0, member.start) + JSON.stringify(localName) + text.slice(member.end);
}

function targetChange(target: Target, text: string, members: readonly Member[]): Changes | undefined {
  if (target.kind === 'resource') return undefined;
  if (target.kind !== 'completion') return { name: JSON.stringify(target.spec.localName) };
  const ref = memberOf(members, 'ref');
  if (target.spec.kind === 'template' || ref === undefined) return undefined;
  const name = JSON.stringify(target.spec.localName);
  return { ref: withMembers(text.slice(ref.start, ref.end), { name }) };
}

const none: readonly Member[] = [];
const unchanged = { text: undefined };
interface MetaChange {
  readonly text: string | undefined;
}

function metaChange(text: string, member: Member | undefined, changes: Changes): MetaChange {
  if (member === undefined || text[member.start] !== '{') {
    return touches(none, changes) ? { text: withMembers('{}', changes) } : unchanged;
  }
  if (!touches(membersOf(text, member.start), changes)) return unchanged;
  const written = withMembers(text.slice(member.start, member.end), changes);
  return { text: written === '{}' ? undefined : written };
}

/** Whether the changes have any effect: a member to set, or an existing one to remove. */
function touches(members: readonly Member[], changes: Changes): boolean {
  for (const key in changes) {
    if (changes[key] !== undefined || memberOf(members, key) !== undefined) return true;
  }
  return false;
}

/** The caller's trace context as protocol members. */
export function traceMeta({ trace }: Call): Changes {
  if (trace === undefined) return {};
  return {
    traceparent: JSON.stringify(trace.traceparent),
    ...(trace.tracestate !== undefined && { tracestate: JSON.stringify(trace.tracestate) }),
  };
}
