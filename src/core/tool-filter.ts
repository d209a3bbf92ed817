/**
 * Selects tools by name: those that match a pattern, minus those that match a `!` pattern, in any order. With only `!`
 * patterns, everything else is selected; without patterns, nothing is.
 */
export function createToolFilter(patterns: readonly string[]): (name: string) => boolean {
  const taken = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  const named = patterns.filter((pattern) => !pattern.startsWith('!'));
  const given = named.length === 0 && taken.length > 0 ? ['*'] : named;
  const isMatch = (name: string) => (pattern: string) => matchesPattern(pattern, name);
  return (name) => given.some(isMatch(name)) && !taken.some(isMatch(name));
}

/** Matches `*` and `?` against the whole name, in at most pattern × name steps. */
export function matchesPattern(pattern: string, name: string): boolean {
  // Two pointers and one backtracking point.
  let at = 0;
  let star = -1;
  let returnTo = 0;
  for (let i = 0; i < name.length; ) {
    if (pattern[at] === '*') {
      star = at;
      returnTo = i;
      at += 1;
    } else if (pattern[at] === '?' || pattern[at] === name[i]) {
      at += 1;
      i += 1;
    } else if (star !== -1) {
      at = star + 1;
      returnTo += 1;
      i = returnTo;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}
