/** Whether a type of event fits a pattern: `*` stands for one word between dots, and alone for everything. */
export function matchesEvent(pattern: string, type: string): boolean {
  if (pattern === '*') return true;
  const [wanted, words] = [pattern.split('.'), type.split('.')];
  return wanted.length === words.length && wanted.every((word, i) => word === '*' || word === words[i]);
}

export function matchesAny(patterns: readonly string[], type: string): boolean {
  return patterns.some((pattern) => matchesEvent(pattern, type));
}
