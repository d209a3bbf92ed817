// Finds `{{…}}` in commands. Agents can write the scripts that are searched, so every function takes linear time.

interface Placeholder {
  readonly start: number;
  readonly end: number;
}

function* placeholdersIn(text: string): Generator<Placeholder> {
  for (let start = text.indexOf('{{'); start >= 0; ) {
    const close = text.indexOf('}}', start + 2);
    if (close < 0) return;
    yield { start, end: close + 2 };
    start = text.indexOf('{{', close + 2);
  }
}

/** Removes placeholders: their values are not known yet. */
export function withoutPlaceholders(command: string): string {
  let [plain, at] = ['', 0];
  for (const { start, end } of placeholdersIn(command)) {
    plain += `${command.slice(at, start)} `;
    at = end;
  }
  return plain + command.slice(at);
}

/**
 * Programs whose path is known only at run time: an agent could pass a file it wrote itself. `isWide`: also words that
 * may be a path as a whole.
 */
export function filledPrograms(command: string, isWide: boolean): readonly string[] {
  const found: string[] = [];
  let [searched, taken] = [0, 0];
  for (const { start, end } of placeholdersIn(command)) {
    if (start < taken) continue;
    const first = wordStart(command, start, searched);
    searched = end;
    const before = command.slice(first, start);
    if ((before !== '' && !before.includes('/')) || !isCommandPlace(command, first)) continue;
    taken = wordEnd(command, end);
    found.push(command.slice(first, taken));
  }
  if (isWide) return found;
  return found.filter((name) => {
    const rest = withoutPlaceholders(name);
    return rest.includes('/') || /\}\}\.\w+$/.test(name.slice(-100));
  });
}

const boundary = /[\s;&|(){}]/;
const whitespace = /\s/;

function wordStart(text: string, from: number, least: number): number {
  let at = from;
  while (at > least && !boundary.test(text.charAt(at - 1))) at -= 1;
  return at;
}

function wordEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !/[\s;&|()]/.test(text.charAt(at))) at += 1;
  return at;
}

const opensCommand = /[;&|({`!]$/;
const startsProgram =
  /(?:^|[\s;&|({`!])(?:if|then|elif|else|while|until|do|exec|command|nohup|time|env|sudo|xargs|source|\.|(?:ba|da|k|z)?sh|node|bun|deno|tsx|npx|python3?|perl|ruby|php)$/;
/** Longer than any keyword above. */
const longestKeyword = 16;

/** Whether a word at this place names a program. */
function isCommandPlace(text: string, at: number): boolean {
  let end = at;
  while (end > 0 && whitespace.test(text.charAt(end - 1))) {
    end -= 1;
    if (text.charAt(end) === '\n') return true;
  }
  if (end === 0 || opensCommand.test(text.charAt(end - 1))) return true;
  return end < at && startsProgram.test(text.slice(Math.max(0, end - longestKeyword), end));
}
