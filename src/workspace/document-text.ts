// Loads the YAML library, so import this file only when a document is read or written.
import { stringify } from 'yaml';
import type { TreeNode } from '../lib/tree.js';
import { parseText } from '../config/yaml-tree.js';

/** Enough for a zone with a hundred thousand grants. */
const maxCharacters = 64 * 1024 * 1024;

/** Parses a YAML or JSON document. Throws a `SyntaxError` with the reason. */
export function parseDocument(text: string): unknown {
  if (text.length > maxCharacters) throw new SyntaxError('the document is too large');
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

/** Fast path for JSON; undefined if it is not valid JSON, because the YAML parser has better error messages. */
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
