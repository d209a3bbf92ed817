import type { TreeNode } from '../../lib/tree.js';
import { TemplateError } from '../template/template.js';
import { type Piece, piecesOf, type Token } from '../template/tokens.js';

const whole = /\{\{-?\s*\$?\.?parameters\.([\w-]+)\s*-?\}\}/g;
const inside = /^\$?\.?parameters\.([\w-]+)$/;

type Values = ReadonlyMap<string, TreeNode>;

/** The value of a parameter if the text consists of nothing else. */
export function soleParameter(text: string, values: Values): TreeNode | undefined {
  const [found, name = ''] = [...text.matchAll(whole)][0] ?? [];
  return found === text ? values.get(name) : undefined;
}

/** Replaces `{{.parameters.x}}` with the parameter; keeps the braces of `{{escape .parameters.x}}`. */
export function fillParameters(text: string, values: Values): string {
  const told = text.includes('parameters.') ? withOperands(text, values) : text;
  return told.replace(whole, (found, name: string) => textOf(values.get(name)) ?? found);
}

function withOperands(text: string, values: Values): string {
  const uses = readablePieces(text).flatMap((piece) =>
    piece.kind === 'action' && piece.tokens.length > 1 ? piece.tokens : [],
  );
  let filled = '';
  let at = 0;
  for (const { text: word, offset } of uses) {
    const operand = operandOf(values.get(inside.exec(word)?.[1] ?? ''));
    if (operand === undefined) continue;
    filled += text.slice(at, offset) + operand;
    at = offset + word.length;
  }
  return filled + text.slice(at);
}

/** Invalid templates are reported when the whole text is parsed. */
function readablePieces(text: string): readonly Piece[] {
  try {
    return piecesOf(text);
  } catch (error) {
    if (error instanceof TemplateError) return [];
    throw error;
  }
}

/** A parameter may contain braces itself; their content is put in parentheses. */
function operandOf(node: TreeNode | undefined): string | undefined {
  const text = textOf(node);
  if (text === undefined || node?.kind !== 'scalar') return undefined;
  if (typeof node.value === 'number' || typeof node.value === 'boolean') return String(node.value);
  if (!text.includes('{{')) return JSON.stringify(text);
  const parts = readablePieces(text).map((piece) =>
    piece.kind === 'text' ? JSON.stringify(piece.text) : `(${between(piece.tokens, text)})`,
  );
  if (parts.length === 0) return undefined;
  return parts.length === 1 ? parts[0] : `(print ${parts.join(' ')})`;
}

function between(tokens: readonly Token[], text: string): string {
  const [first, last] = [tokens[0], tokens.at(-1)];
  return text.slice(first?.offset, (last?.offset ?? 0) + (last?.text.length ?? 0));
}

function textOf(node: TreeNode | undefined): string | undefined {
  if (node?.kind !== 'scalar') return undefined;
  return typeof node.value === 'string' ? node.value : node.source;
}
