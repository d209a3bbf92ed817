import type { Session, Source } from '../core/index.js';

/**
 * Whether a session limited to some tool names could get a tool of this source. The tools may be unknown, for example
 * because the server failed, but they start with its name. If none could match, the session must not learn about the
 * server.
 */
export function couldReach({ chain = [] }: Pick<Session, 'chain'>, source: Source): boolean {
  const prefix = `${source.slice(source.indexOf(':') + 1)}_`;
  return chain.every(({ tools }) => tools === undefined || couldMatch(tools, prefix));
}

function couldMatch(patterns: readonly string[], prefix: string): boolean {
  const given = patterns.filter((pattern) => !pattern.startsWith('!'));
  // Only exclusions: everything else is allowed.
  if (given.length === 0) return patterns.length > 0;
  return given.some((pattern) => {
    const literal = pattern.split(/[*?]/)[0] ?? '';
    return literal.startsWith(prefix) || (literal !== pattern && prefix.startsWith(literal));
  });
}
