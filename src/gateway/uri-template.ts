/** Whether a URI may match an RFC 6570 template. Permissive: the provider decides in the end. */
export function templateMatches(template: string, uri: string): boolean {
  const literals = template.split(/\{[^{}]*\}/);
  if (literals.length === 1) return template === uri;
  return matchesInOrder(literals, uri);
}

/** The literals must occur in order, the first at the start and the last at the end. */
function matchesInOrder(literals: readonly string[], uri: string): boolean {
  const first = literals[0] ?? '';
  const last = literals[literals.length - 1] ?? '';
  if (!uri.startsWith(first) || !uri.endsWith(last) || uri.length < first.length + last.length) return false;
  let at = first.length;
  const end = uri.length - last.length;
  for (const literal of literals.slice(1, -1)) {
    const found = uri.indexOf(literal, at);
    if (found < 0 || found + literal.length > end) return false;
    at = found + literal.length;
  }
  return true;
}
