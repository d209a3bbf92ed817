// Knows the YAML library, and is therefore loaded when a document is read or written, not before.
import { stringify } from 'yaml';
import type { TreeNode } from '../kernel/tree.js';
import { parseText } from '../config/yaml-tree.js';

/** As large as a zone of a hundred thousand grants gets. */
const maxCharacters = 64 * 1024 * 1024;

/** A document that a person gave: YAML, and so JSON too. Throws a `SyntaxError` that says what is wrong. */
export function parseDocument(text: string): unknown {
  if (text.length > maxCharacters) throw new SyntaxError('it is larger than any document of grants');
  const json = parseJson(text);
  if (json !== undefined) return json;
  const { root, findings } = parseText(text);
  const [first] = findings;
  if (first === undefined) return valueOf(root);
  const line = text.slice(0, first.offset ?? 0).split('\n').length;
  throw new SyntaxError(`line ${String(line)}: ${first.message}`);
}

export function formatDocument(document: unknown): string {
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** Quicker for what a program wrote; undefined where it is YAML, which has better words for what is wrong. */
function parseJson(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function valueOf(node: TreeNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(valueOf);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, valueOf(value)]));
}
