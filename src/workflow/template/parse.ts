import { parsePipeline } from './parse-pipeline.js';
import {
  deepest,
  type Nodes,
  type Reference,
  type Template,
  TemplateError,
  type TemplateNode,
} from './template.js';
import { type Piece, piecesOf, type Token } from './tokens.js';

/** Parses a text with {{ }}. Throws a TemplateError with the position and the reason. */
export function parseTemplate(text: string): Template {
  if (!text.includes('{{')) return { nodes: text === '' ? [] : [{ kind: 'text', text }], references: [] };
  const pieces = piecesOf(text);
  const references: Reference[] = [];
  let at = 0;

  /** Stops before `else` or `end`, which the caller reads. */
  function block(depth: number, hasDot: boolean): Nodes {
    if (depth > deepest) throw new TemplateError('The template is nested too deeply.');
    const nodes: TemplateNode[] = [];
    for (; at < pieces.length; ) {
      const piece = pieces[at];
      if (piece === undefined || isMark(piece, 'end') || isMark(piece, 'else')) break;
      at += 1;
      nodes.push(piece.kind === 'text' ? piece : action(piece.tokens, piece.offset, depth, hasDot));
    }
    return nodes;
  }

  function action(tokens: readonly Token[], offset: number, depth: number, hasDot: boolean): TemplateNode {
    const word = tokens[0]?.kind === 'word' ? tokens[0].text : '';
    if (word === 'if' || word === 'with' || word === 'range') {
      return branch(word, tokens.slice(1), offset, depth, hasDot);
    }
    return { kind: 'show', pipeline: parsePipeline(tokens, offset, hasDot, references) };
  }

  function branch(
    kind: 'if' | 'with' | 'range',
    tokens: readonly Token[],
    offset: number,
    depth: number,
    hasDot: boolean,
  ): TemplateNode {
    const asked: Reference[] = [];
    const pipeline = parsePipeline(tokens, offset, hasDot, asked);
    // Values used only in a condition never appear in the output.
    references.push(...asked.map((reference) => ({ ...reference, isEscaped: true })));
    const then = block(depth + 1, hasDot || kind !== 'if');
    const mark = pieces[at];
    at += 1;
    if (mark === undefined || mark.kind === 'text') {
      throw new TemplateError(`{{${kind}}} has no {{end}}.`, offset);
    }
    if (isMark(mark, 'end')) return { kind, pipeline, then, otherwise: [] };
    const rest = mark.tokens.slice(1);
    // `{{else if x}}` shares the end of the outer `if`.
    if (rest.length > 0)
      return { kind, pipeline, then, otherwise: [action(rest, mark.offset, depth + 1, hasDot)] };
    const otherwise = block(depth + 1, hasDot);
    const end = pieces[at];
    at += 1;
    if (end === undefined || !isMark(end, 'end'))
      throw new TemplateError(`{{${kind}}} has no {{end}}.`, offset);
    return { kind, pipeline, then, otherwise };
  }

  const nodes = block(0, false);
  const left = pieces[at];
  if (left !== undefined && left.kind === 'action') {
    throw new TemplateError(
      `{{${left.tokens[0]?.text ?? ''}}} without a matching {{if}}, {{range}} or {{with}}.`,
      left.offset,
    );
  }
  return { nodes, references };
}

function isMark(piece: Piece, word: string): boolean {
  return piece.kind === 'action' && piece.tokens[0]?.kind === 'word' && piece.tokens[0].text === word;
}
