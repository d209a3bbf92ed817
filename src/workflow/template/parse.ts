import { noFunction } from './no-function.js';
import {
  functionNames,
  namespaces,
  type Nodes,
  type Operand,
  type Pipeline,
  type Reference,
  type Template,
  TemplateError,
  type TemplateNode,
} from './template.js';
import { type Piece, piecesOf, stringOf, type Token } from './tokens.js';

const deepest = 50;

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
    return { kind: 'show', pipeline: pipelineOf(tokens, offset, hasDot, references) };
  }

  function branch(
    kind: 'if' | 'with' | 'range',
    tokens: readonly Token[],
    offset: number,
    depth: number,
    hasDot: boolean,
  ): TemplateNode {
    const asked: Reference[] = [];
    const pipeline = pipelineOf(tokens, offset, hasDot, asked);
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

function pipelineOf(
  tokens: readonly Token[],
  offset: number,
  hasDot: boolean,
  references: Reference[],
): Pipeline {
  let at = 0;
  const variables: string[] = [];
  let isAssignment = false;
  const sign = tokens.findIndex(({ kind, text }) => kind === 'sign' && (text === ':=' || text === '='));
  if (sign !== -1) {
    isAssignment = tokens[sign]?.text === '=';
    variables.push(...tokens.slice(0, sign).flatMap(({ kind, text }) => (kind === 'variable' ? [text] : [])));
    at = sign + 1;
  }
  const found: Reference[] = [];
  let depth = 0;

  function commands(): Operand[][] {
    const all: Operand[][] = [[]];
    for (; at < tokens.length; ) {
      const token = tokens[at];
      if (token === undefined || (token.kind === 'sign' && token.text === ')')) break;
      at += 1;
      if (token.kind === 'sign' && token.text === '|') all.push([]);
      else all.at(-1)?.push(operand(token));
    }
    if (all.some((command) => command.length === 0)) throw new TemplateError('Expected a value.', offset);
    return all;
  }

  function operand(token: Token): Operand {
    if (token.kind === 'string') return { kind: 'value', value: stringOf(token) };
    if (token.kind === 'number') return { kind: 'value', value: Number(token.text) };
    if (token.kind === 'variable') return variableOf(token);
    if (token.kind === 'path') return dotted(token);
    if (token.kind === 'word') return wordOf(token);
    if (token.text !== '(')
      throw new TemplateError(`Unexpected ${JSON.stringify(token.text)}.`, token.offset);
    depth += 1;
    if (depth > deepest) throw new TemplateError('The template is nested too deeply.', token.offset);
    const inner = commands();
    depth -= 1;
    const close = tokens[at];
    if (close?.text !== ')') throw new TemplateError('Missing closing parenthesis.', token.offset);
    at += 1;
    const pipeline = { variables: [], isAssignment: false, commands: inner };
    const next = tokens[at];
    // `(index .a 1).b`: a path right after the parenthesis applies to its value.
    if (next?.kind === 'path' && next.offset === close.offset + 1) {
      at += 1;
      return { kind: 'pipeline', pipeline, path: partsOf(next.text) };
    }
    return { kind: 'pipeline', pipeline, path: [] };
  }

  function variableOf({ text, offset: place }: Token): Operand {
    const [name = '$', ...path] = text.split('.');
    if (name !== '$') return { kind: 'variable', name, path };
    found.push({ path, isBare: false, offset: place, isEscaped: false });
    return { kind: 'root', path, isBare: false };
  }

  function dotted({ text, offset: place }: Token): Operand {
    const path = partsOf(text);
    if (hasDot) return { kind: 'dot', path };
    if (path.length === 0) throw new TemplateError('A dot without a name is not allowed here.', place);
    found.push({ path, isBare: false, offset: place, isEscaped: false });
    return { kind: 'root', path, isBare: false };
  }

  function wordOf({ text, offset: place }: Token): Operand {
    if (text === 'true' || text === 'false') return { kind: 'value', value: text === 'true' };
    if (text === 'nil') return { kind: 'value', value: null };
    const path = text.split('.');
    if (path.length === 1 && functionNames.some((name) => name === text))
      return { kind: 'function', name: text };
    if (path.length === 1 && !namespaces.some((name) => name === text)) {
      throw new TemplateError(noFunction(text, [...functionNames, ...namespaces]), place);
    }
    found.push({ path, isBare: true, offset: place, isEscaped: false });
    return { kind: 'root', path, isBare: true };
  }

  const read = commands();
  if (at < tokens.length)
    throw new TemplateError('Unexpected closing parenthesis.', tokens[at]?.offset ?? offset);
  const isEscaped = read.some(([first]) => first?.kind === 'function' && first.name === 'escape');
  references.push(...found.map((reference) => ({ ...reference, isEscaped })));
  return { variables, isAssignment, commands: read };
}

function partsOf(text: string): readonly string[] {
  return text.split('.').filter((part) => part !== '');
}
