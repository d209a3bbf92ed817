import type { Source } from '../core/index.js';

export type NamedKind = 'tools' | 'prompts';

/** Remembers which provider had a name first, so that a later one with the same prefix cannot take it. */
export interface NameClaims {
  ownerOf(kind: NamedKind, name: string): Source | undefined;
  claim(kind: NamedKind, name: string, source: Source): void;
}

/** Claims kept in memory. */
export function createNameClaims(): NameClaims {
  const owners = { tools: new Map<string, Source>(), prompts: new Map<string, Source>() };
  return {
    ownerOf: (kind, name) => owners[kind].get(name),
    claim: (kind, name, source) => void owners[kind].set(name, source),
  };
}
