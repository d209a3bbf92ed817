import { Lexer } from 'yaml';

interface Line {
  readonly column: number;
  levels: number;
}

/**
 * Returns where the text first exceeds the nesting limit. It uses only the lexer, because parsing such a text could
 * overflow the stack or abort the process. Block levels may be overcounted, never undercounted.
 */
export function tooDeepAt(text: string, deepest: number): number | undefined {
  const lines: Line[] = [];
  let offset = 0;
  let flow = 0;
  let lineStart = 0;
  let line: Line | undefined;
  for (const lexeme of new Lexer().lex(text)) {
    if (isMarker(lexeme)) continue;
    if (lexeme === '\n' || lexeme === '\r\n') {
      line = undefined;
      lineStart = offset + lexeme.length;
    } else if (lexeme === '[' || lexeme === '{') flow += 1;
    else if (lexeme === ']' || lexeme === '}') flow = Math.max(0, flow - 1);
    else if (flow === 0 && lexeme.trim() !== '') {
      line ??= beginLine(lines, offset - lineStart);
      if (/^[-?:&!]/.test(lexeme)) line.levels += 1;
    }
    if (flow + lines.reduce((sum, { levels }) => sum + levels, 0) > deepest) return offset;
    offset += lexeme.length;
  }
  return undefined;
}

// The lexer marks documents and scalars with control characters that are not in the text.
function isMarker(lexeme: string): boolean {
  return lexeme === '\x02' || lexeme === '\x18' || lexeme === '\x1f';
}

function beginLine(lines: Line[], column: number): Line {
  while (lines.length > 0 && (lines.at(-1)?.column ?? 0) >= column) lines.pop();
  const line = { column, levels: 0 };
  lines.push(line);
  return line;
}
