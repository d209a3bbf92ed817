import { idlePatternLines } from '../../core/index.js';
import { knownCatalogue } from '../../workspace/known-catalogue.js';
import type { Tidegate } from '../../workspace/tidegate.js';

export interface TokenWarnings {
  readonly warnings: readonly string[];
  /** Servers whose tools are not known yet; the patterns may match their tools. */
  readonly unlisted: readonly string[];
}

/** Names and patterns of a token that match no known tool. Starts no servers. */
export function tokenWarnings(
  { gateway, access }: Pick<Tidegate, 'gateway' | 'access'>,
  patterns: readonly string[] | undefined,
): TokenWarnings {
  if (patterns === undefined) return { warnings: [], unlisted: [] };
  const { specs, unlisted } = knownCatalogue(gateway, access.local.principal);
  const names = specs.flatMap((spec) => (spec.kind === 'tool' ? [spec.name] : []));
  return { warnings: idlePatternLines(patterns, names), unlisted };
}
