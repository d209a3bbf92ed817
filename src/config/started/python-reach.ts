import type { Reach } from './reach.js';

/** Functions that accept any path. */
const byPath =
  /\bsys\.path\b|\baddsitedir\b|\bspec_from_file_location\b|\b\w+FileLoader\b|\brun_path\b|\bload_source\b|(?<![.\w])(?:exec|execfile)\s*\(/g;
const fromSys = /\bfrom\s+sys\s+import\b/;
/** Functions that accept names looked up on Python's path. */
const byName = /\bimportlib\b(?!\.(?:metadata|resources))|\b__import__\b|\brunpy\b|\bpkgutil\b/;
const upwards = /['"/]\.\.['"/]|\bpardir\b|\bparents\b|\.parent\s*\.parent|dirname\([^\n]*dirname\(/;
const elsewhere = /\b(?:getcwd|cwd|environ|getenv|argv)\b/;
/** Limit of statement characters read per file. Beyond it, statements count as unknown. */
const maxRead = 1_000_000;

/** How far Python code can import or run files that none of its `import` statements name. */
export function reachOfPython(text: string): Reach {
  const uses = usesIn(text);
  if (uses.length === 0) return byName.test(text) ? 'own' : 'nothing';
  if (upwards.test(text)) return 'root';
  const local = localNames(text);
  let left = maxRead;
  const isLocal = (start: number): boolean => {
    const use = statementAt(text, start, left);
    left -= use?.length ?? 0;
    return use !== undefined && !elsewhere.test(use) && wordsIn(use).some((word) => local.has(word));
  };
  return uses.every(isLocal) ? 'own' : 'cwd';
}

/** Where code is loaded by a path. */
function usesIn(text: string): readonly number[] {
  const uses = [...text.matchAll(byPath)].map(({ index }) => index);
  let start = 0;
  for (const line of text.split('\n')) {
    const at = line.search(fromSys);
    if (at >= 0 && /\bpath\b/.test(line.slice(at))) uses.push(start + at);
    start += line.length + 1;
  }
  return uses;
}

/** `__file__`, and variables for folders derived from it. */
function localNames(text: string): ReadonlySet<string> {
  const names = new Set(['__file__']);
  for (const [, name = '', value = ''] of text.matchAll(/^[ \t]*(\w+)[ \t]*=(.*)$/gm))
    if (wordsIn(value).some((word) => names.has(word))) names.add(name);
  return names;
}

function wordsIn(text: string): readonly string[] {
  return text.match(/\w+/g) ?? [];
}

/** Up to the end of the line where all brackets are closed. Undefined: beyond the limit. */
function statementAt(text: string, start: number, limit: number): string | undefined {
  let depth = 0;
  const end = Math.min(text.length, start + limit);
  for (let at = start; at < end; at += 1) {
    const sign = text.charAt(at);
    if ('([{'.includes(sign)) depth += 1;
    else if (')]}'.includes(sign)) depth -= 1;
    else if (sign === '\n' && depth <= 0) return text.slice(start, at);
  }
  return end < text.length ? undefined : text.slice(start);
}
