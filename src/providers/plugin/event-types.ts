/** Whether an event type matches a pattern. `*` matches one word between dots; a single `*` matches everything. */
export function matchesEvent(pattern: string, type: string): boolean {
  if (pattern === '*') return true;
  const [wanted, words] = [pattern.split('.'), type.split('.')];
  return wanted.length === words.length && wanted.every((word, i) => word === '*' || word === words[i]);
}

export function matchesAny(patterns: readonly string[], type: string): boolean {
  return patterns.some((pattern) => matchesEvent(pattern, type));
}
