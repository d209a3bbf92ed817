import { noFunction } from './no-function.js';
import {
  deepest,
  functionNames,
  namespaces,
  type Operand,
  type Pipeline,
  type Reference,
  TemplateError,
} from './template.js';
import { stringOf, type Token } from './tokens.js';

/** Parses what is between {{ and }}, and adds the values it refers to to `references`. */
export function parsePipeline(
  tokens: readonly Token[],
  offset: number,
  hasDot: boolean,
  references: Reference[],
): Pipeline {
  const sign = tokens.findIndex(({ kind, text }) => kind === 'sign' && (text === ':=' || text === '='));
  const assigned = sign === -1 ? [] : tokens.slice(0, sign);
  const found: Reference[] = [];
  const commands = commandsOf(tokens.slice(sign + 1), offset, (token) => valueOf(token, hasDot, found));
  const isEscaped = commands.some(([first]) => first?.kind === 'function' && first.name === 'escape');
  references.push(...found.map((reference) => ({ ...reference, isEscaped })));
  return {
    variables: assigned.flatMap(({ kind, text }) => (kind === 'variable' ? [text] : [])),
    isAssignment: sign !== -1 && tokens[sign]?.text === '=',
    commands,
  };
}

/** Commands separated by `|`, with pipelines in parentheses. `read`: the operand of one token. */
function commandsOf(
  tokens: readonly Token[],
  offset: number,
  read: (token: Token) => Operand,
): readonly (readonly Operand[])[] {
  let at = 0;
  let depth = 0;

  function commands(): Operand[][] {
    const all: Operand[][] = [[]];
    for (; at < tokens.length; ) {
      const token = tokens[at];
      if (token === undefined || (token.kind === 'sign' && token.text === ')')) break;
      at += 1;
      if (token.kind === 'sign' && token.text === '|') all.push([]);
      else all.at(-1)?.push(token.text === '(' && token.kind === 'sign' ? inParentheses(token) : read(token));
    }
    if (all.some((command) => command.length === 0)) throw new TemplateError('Expected a value.', offset);
    return all;
  }

  function inParentheses(token: Token): Operand {
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

  const all = commands();
  if (at < tokens.length)
    throw new TemplateError('Unexpected closing parenthesis.', tokens[at]?.offset ?? offset);
  return all;
}

function valueOf(token: Token, hasDot: boolean, found: Reference[]): Operand {
  if (token.kind === 'string') return { kind: 'value', value: stringOf(token) };
  if (token.kind === 'number') return { kind: 'value', value: Number(token.text) };
  if (token.kind === 'variable') return variableOf(token, found);
  if (token.kind === 'path') return dotted(token, hasDot, found);
  if (token.kind === 'word') return wordOf(token, found);
  throw new TemplateError(`Unexpected ${JSON.stringify(token.text)}.`, token.offset);
}

function variableOf({ text, offset }: Token, found: Reference[]): Operand {
  const [name = '$', ...path] = text.split('.');
  if (name !== '$') return { kind: 'variable', name, path };
  found.push({ path, isBare: false, offset, isEscaped: false });
  return { kind: 'root', path, isBare: false };
}

function dotted({ text, offset }: Token, hasDot: boolean, found: Reference[]): Operand {
  const path = partsOf(text);
  if (hasDot) return { kind: 'dot', path };
  if (path.length === 0) throw new TemplateError('A dot without a name is not allowed here.', offset);
  found.push({ path, isBare: false, offset, isEscaped: false });
  return { kind: 'root', path, isBare: false };
}

function wordOf({ text, offset }: Token, found: Reference[]): Operand {
  if (text === 'true' || text === 'false') return { kind: 'value', value: text === 'true' };
  if (text === 'nil') return { kind: 'value', value: null };
  const path = text.split('.');
  if (path.length === 1 && functionNames.some((name) => name === text))
    return { kind: 'function', name: text };
  if (path.length === 1 && !namespaces.some((name) => name === text)) {
    throw new TemplateError(noFunction(text, [...functionNames, ...namespaces]), offset);
  }
  found.push({ path, isBare: true, offset, isEscaped: false });
  return { kind: 'root', path, isBare: true };
}

function partsOf(text: string): readonly string[] {
  return text.split('.').filter((part) => part !== '');
}
