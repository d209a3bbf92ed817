/** The text in lines of at most `width`, broken between words only; its own line breaks stay, list items hang. */
export function wrapped(text: string, width: number): readonly string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, width));
}

function wrapLine(line: string, width: number): readonly string[] {
  if (line.length <= width) return [line];
  const hang = /^\s*(?:[-*] |\d+\. )?/.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = hang;
  let isFresh = true;
  for (const word of line.slice(hang.length).split(' ')) {
    if (!isFresh && current.length + 1 + word.length > width) {
      lines.push(current);
      current = ' '.repeat(hang.length);
      isFresh = true;
    }
    current += isFresh ? word : ` ${word}`;
    isFresh = false;
  }
  return [...lines, current];
}
