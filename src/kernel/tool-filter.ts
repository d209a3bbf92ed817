/**
 * Says which of a server's tools are offered: those that a pattern names, less those that a `!` pattern names,
 * in whatever order. Only `!` patterns take away from all; no pattern at all offers nothing.
 */
export function createToolFilter(patterns: readonly string[]): (name: string) => boolean {
  const taken = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  const named = patterns.filter((pattern) => !pattern.startsWith('!'));
  const given = named.length === 0 && taken.length > 0 ? ['*'] : named;
  const isMatch = (name: string) => (pattern: string) => matchesPattern(pattern, name);
  return (name) => given.some(isMatch(name)) && !taken.some(isMatch(name));
}

/** `*` and `?`, over the whole name. Never more than pattern × name steps, whatever the pattern. */
export function matchesPattern(pattern: string, name: string): boolean {
  // Two pointers and one point of return.
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
