import { TemplateError } from './template.js';

export interface Token {
  readonly kind: 'path' | 'word' | 'variable' | 'string' | 'number' | 'sign';
  readonly text: string;
  readonly offset: number;
}

export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly tokens: readonly Token[]; readonly offset: number };

/** Splits a text at its braces. `{{-` and `-}}` trim the adjacent white space. */
export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  let trimsNext = false;
  const plain = (part: string, trimsEnd: boolean): void => {
    const start = trimsNext ? part.trimStart() : part;
    const whole = trimsEnd ? start.trimEnd() : start;
    if (whole !== '') pieces.push({ kind: 'text', text: whole });
  };
  for (;;) {
    const open = text.indexOf('{{', at);
    if (open === -1) break;
    const isTrimming = /^-\s/.test(text.slice(open + 2, open + 4));
    plain(text.slice(at, open), isTrimming);
    const start = open + 2 + (isTrimming ? 1 : 0);
    const action = readAction(text, start, open);
    if (action.tokens.length > 0) pieces.push({ kind: 'action', tokens: action.tokens, offset: open });
    at = action.end;
    trimsNext = action.trims;
  }
  plain(text.slice(at), false);
  return pieces;
}

interface Action {
  readonly tokens: readonly Token[];
  readonly end: number;
  readonly trims: boolean;
}

const segment = String.raw`[\p{L}_][\p{L}\p{N}_]*(?:-[\p{L}_][\p{L}\p{N}_]*)*`;
/** Tried in this order; the first match wins. */
const shapes: readonly (readonly [Token['kind'] | 'space' | 'comment', RegExp])[] = [
  ['space', /\s+/uy],
  ['comment', /\/\*[\s\S]*?\*\//uy],
  ['string', /"(?:[^"\\\n]|\\.)*"|`[^`]*`/uy],
  ['number', /[+-]?\d+(?:\.\d+)?/uy],
  ['variable', new RegExp(String.raw`\$(?:[\p{L}_][\p{L}\p{N}_]*)?(?:\.${segment})*`, 'uy')],
  ['path', new RegExp(String.raw`\.${segment}(?:\.${segment})*|\.(?![\p{L}_])`, 'uy')],
  ['word', new RegExp(String.raw`${segment}(?:\.${segment})*`, 'uy')],
  ['sign', /:=|=|\||\(|\)|,/uy],
];

function readAction(text: string, start: number, open: number): Action {
  const tokens: Token[] = [];
  let at = start;
  for (;;) {
    const closing = /^\s-\}\}|^\}\}/.exec(text.slice(at, at + 4));
    if (closing) return { tokens, end: at + closing[0].length, trims: closing[0].includes('-') };
    if (at >= text.length) throw new TemplateError('Missing closing }}.', open);
    const found = shapeAt(text, at);
    if (found === undefined) throw new TemplateError(`Unexpected ${JSON.stringify(text[at])}.`, at);
    if (found.kind !== 'space' && found.kind !== 'comment')
      tokens.push({ kind: found.kind, text: found.text, offset: at });
    at += found.text.length;
    // A space before `-}}` belongs to the closing brace.
    if (found.kind === 'space' && text.startsWith('-}}', at)) at -= 1;
  }
}

function shapeAt(
  text: string,
  at: number,
): { readonly kind: Token['kind'] | 'space' | 'comment'; readonly text: string } | undefined {
  for (const [kind, shape] of shapes) {
    shape.lastIndex = at;
    const [found] = shape.exec(text) ?? [];
    if (found !== undefined) return { kind, text: found };
  }
  return undefined;
}

export function stringOf({ text, offset }: Token): string {
  if (text.startsWith('`')) return text.slice(1, -1);
  try {
    return String(JSON.parse(text));
  } catch {
    throw new TemplateError('This quoted string is not valid.', offset);
  }
}
