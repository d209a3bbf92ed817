import { JsonText, textOf, withMembers } from '../lib/json-text.js';
import type { ToolSpec } from '../core/index.js';
import type { Split } from './split.js';

const known = new WeakMap<Split, readonly ToolSpec[]>();

/** All tools, with pinned ones marked: a client that defers tools itself loads those at once. */
export function alwaysLoaded(split: Split): readonly ToolSpec[] {
  if (split.pinned.size === 0) return split.eager;
  let list = known.get(split);
  if (list === undefined) {
    list = split.eager.map((spec) => (split.pinned.has(spec) ? marked(spec) : spec));
    known.set(split, list);
  }
  return list;
}

function marked(spec: ToolSpec): ToolSpec {
  const { text, members } = spec.definition;
  const meta = textOf(text, members, '_meta') ?? '{}';
  const _meta = withMembers(meta, { 'anthropic/alwaysLoad': 'true' });
  return { ...spec, definition: new JsonText(withMembers(text, { _meta })) };
}
