/**
 * Cuts JSON into the source texts of its parts. Written anew for the tests: a proof that texts survive must not lean on
 * the reader that it judges. The text must be valid JSON.
 */
export function membersOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const parts = partsOf(text, '{');
  for (const part of parts) {
    const colon = endOfToken(part, 0);
    const key = JSON.parse(part.slice(0, colon)) as string;
    if (found.has(key)) throw new Error(`the key ${key} stands twice in ${text.slice(0, 200)}`);
    found.set(key, part.slice(part.indexOf(':', colon) + 1).trim());
  }
  return found;
}

export function elementsOf(text: string): readonly string[] {
  return partsOf(text, '[');
}

/** The source text at a path of keys and positions; throws where there is nothing. */
export function textAt(text: string, ...path: readonly (string | number)[]): string {
  let current = text;
  for (const step of path) {
    const next = typeof step === 'number' ? elementsOf(current)[step] : membersOf(current).get(step);
    if (next === undefined) throw new Error(`nothing at ${path.join('.')} of ${text.slice(0, 500)}`);
    current = next;
  }
  return current;
}

const token = /\s*(?:"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+)/y;

function endOfToken(text: string, at: number): number {
  token.lastIndex = at;
  if (!token.test(text)) throw new Error(`not JSON at ${String(at)}: ${text.slice(at, at + 50)}`);
  return token.lastIndex;
}

/** What stands between the brackets, cut at the commas of the outermost level. */
function partsOf(text: string, bracket: '{' | '['): string[] {
  const source = text.trim();
  if (!source.startsWith(bracket)) throw new Error(`expected ${bracket} at ${source.slice(0, 80)}`);
  const parts: string[] = [];
  let depth = 0;
  let from = 1;
  for (let at = 0; at < source.length; ) {
    const end = endOfToken(source, at);
    const last = source[end - 1] ?? '';
    const isSign = source.slice(at, end).trim().length === 1;
    if (isSign && '{['.includes(last)) depth += 1;
    if (isSign && '}]'.includes(last)) depth -= 1;
    if (isSign && (depth === 0 || (depth === 1 && last === ','))) {
      const part = source.slice(from, end - 1).trim();
      if (part !== '') parts.push(part);
      from = end;
    }
    if (isSign && depth === 0) return parts;
    at = end;
  }
  throw new Error('the text ends too early');
}
