import type { Session, Source } from '../kernel/index.js';

/**
 * Whether a session that is held to some names of tools could be given one of this source. Its tools may not be known, as
 * of a server that failed; but they begin with its name, and whoever may use none of them need not learn that it is there.
 */
export function couldReach({ chain = [] }: Pick<Session, 'chain'>, source: Source): boolean {
  const prefix = `${source.slice(source.indexOf(':') + 1)}_`;
  return chain.every(({ tools }) => tools === undefined || couldMatch(tools, prefix));
}

function couldMatch(patterns: readonly string[], prefix: string): boolean {
  const given = patterns.filter((pattern) => !pattern.startsWith('!'));
  // Only what is taken away is named: the rest is given.
  if (given.length === 0) return patterns.length > 0;
  return given.some((pattern) => {
    const literal = pattern.split(/[*?]/)[0] ?? '';
    return literal.startsWith(prefix) || (literal !== pattern && prefix.startsWith(literal));
  });
}
