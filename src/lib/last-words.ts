/** Enough for a whole stack trace; limits what a process can make us keep. */
const mostLines = 80;
const longestLine = 1024;
const longestTold = 600;

/** Keeps the last output of a process and extracts the part that explains why it ended. */
export interface LastWords {
  push(line: string): void;
  /** Empty if the process printed nothing. */
  told(): string;
}

export function createLastWords(): LastWords {
  let lines: string[] = [];
  return {
    push(line) {
      lines.push(line.slice(0, longestLine));
      if (lines.length > 2 * mostLines) lines = lines.slice(-mostLines);
    },
    told: () => tellingWords(lines.slice(-mostLines)),
  };
}

const errorLine = /^(?:Uncaught |\[?)?(?:[\w.$]*(?:Error|Exception)\b|panic:|fatal)/;
/** Noise that runtimes print around an error: version, internal frames, the `^` marker. */
const footer = /^(?:Node\.js v\d|Bun v\d|\s*\^+\s*$|\s*$|\s+at |\s*\[?cause\]?:|\s*[{}]\s*$)/;
const ownFrame = /^\s+at (?!.*\bnode:)(?:.*\()?((?:file:\/\/)?[^()]+:\d+(?::\d+)?)\)?$/;
const header = /^(?:file:\/\/)?((?!node:)\S.*:\d+)$/;
/** TypeScript loaders print the location below the message. */
const below = /^\s*((?!node:)\S.*:\d+:\d+)\]?$/;
const pythonFrame = /^\s*File "(.+)", line (\d+)/;

/** The error with its location if there is one; otherwise the last lines. */
function tellingWords(lines: readonly string[]): string {
  const at = lines.findLastIndex((line) => errorLine.test(line));
  const text = at < 0 ? lastLines(lines) : withPlace(lines[at] ?? '', placeNear(lines, at));
  return text.slice(0, longestTold);
}

function lastLines(lines: readonly string[]): string {
  return lines
    .filter((line) => !footer.test(line))
    .slice(-3)
    .map((line) => line.trim())
    .join(' / ');
}

function withPlace(error: string, place: string | undefined): string {
  const text = error.replace(/^\[(?:Error: (?=\w+Error:))?/, '').trim();
  return place === undefined || text.includes(place) ? text : `${text} (${place})`;
}

/** The location comes before a SyntaxError, but after any other error. */
function placeNear(lines: readonly string[], at: number): string | undefined {
  const before = lines.slice(Math.max(0, at - 8), at).toReversed();
  const after = lines.slice(at + 1);
  const frame = after.slice(0, 40).map((line) => (ownFrame.exec(line) ?? below.exec(line))?.[1]);
  const isSyntax = lines[at]?.startsWith('SyntaxError') === true;
  const named = before.map((line) => {
    const python = pythonFrame.exec(line);
    return python ? `${python[1] ?? ''}:${python[2] ?? ''}` : header.exec(line)?.[1];
  });
  const [first, second] = isSyntax ? [named, frame] : [frame, named];
  return (first.find(isThere) ?? second.find(isThere))?.replace('file://', '');
}

function isThere(value: string | undefined): value is string {
  return value !== undefined;
}
