import { idlePatternLines } from '../kernel/index.js';
import { knownCatalogue } from './known-catalogue.js';
import type { Tidegate } from './tidegate.js';

export interface TokenWarnings {
  readonly warnings: readonly string[];
  /** Servers whose tools are not known yet: what the warnings name may be theirs. */
  readonly unlisted: readonly string[];
}

/** Which names and patterns of a token fit no tool that is known here. Nothing is started for it. */
export function tokenWarnings(
  { gateway, access }: Pick<Tidegate, 'gateway' | 'access'>,
  patterns: readonly string[] | undefined,
): TokenWarnings {
  if (patterns === undefined) return { warnings: [], unlisted: [] };
  const { specs, unlisted } = knownCatalogue(gateway, access.local.principal);
  const names = specs.flatMap((spec) => (spec.kind === 'tool' ? [spec.name] : []));
  return { warnings: idlePatternLines(patterns, names), unlisted };
}
