import type { Access } from '../access/index.js';
import { emptyObject } from '../lib/json-text.js';
import type { PromptSpec, Session, Source, Spec, ToolSpec } from '../core/index.js';
import type { Catalog } from './catalog.js';
import type { NameClaims, NamedKind } from './name-claims.js';
import type { Offered } from './offered.js';
import { isOurs } from './own-names.js';

type Named = ToolSpec | PromptSpec;

/** Resolves names that several providers offer. */
export interface ContestedNames {
  /**
   * The dropped offer that a session gets instead, from a server that it can see as a whole. A name pattern is not
   * enough, because it was granted for the owner's tool.
   */
  nextOf(session: Session, kind: NamedKind, name: string): Offered<Named> | undefined;
  /** Filters dropped offers from a visible list. */
  leaveDropped(session: Session, kind: NamedKind, seen: readonly Spec[]): readonly Spec[];
}

export function createContestedNames(catalog: Catalog, access: Access): ContestedNames {
  const sees = (session: Session, spec: Spec): boolean => access.visible(session, spec).visible;

  function nextOf(session: Session, kind: NamedKind, name: string): Offered<Named> | undefined {
    const contest = catalog.contests[kind].get(name);
    if (contest === undefined) return undefined;
    const own = catalog[kind].get(contest.looksLike ?? name)?.spec;
    const knowsOwner =
      (own && sees(session, own)) === true || isOpenTo(access, session, contest.owner.source);
    if (knowsOwner) return undefined;
    const later: readonly Offered<Named>[] = contest.later;
    return later.find(
      ({ spec, provider }) => isOpenTo(access, session, provider.source) && sees(session, spec),
    );
  }

  function isTheirs(session: Session, kind: NamedKind, spec: Spec): boolean {
    if (spec.kind !== 'tool' && spec.kind !== 'prompt') return true;
    const contest = catalog.contests[kind].get(spec.name);
    if (contest === undefined || contest.owner.source === spec.source) return true;
    return nextOf(session, kind, spec.name)?.spec === spec;
  }

  return {
    nextOf,
    leaveDropped: (session, kind, seen) =>
      catalog.contests[kind].size === 0 ? seen : seen.filter((spec) => isTheirs(session, kind, spec)),
  };
}

/** Whether the session can see everything of this provider. */
export function isOpenTo(access: Access, session: Session, source: Source): boolean {
  return access.visible(session, { kind: 'resource', uri: '', source, definition: emptyObject }).visible;
}

/** Owners keep their names as long as they are configured. */
export function claimNames(catalog: Catalog, claims: NameClaims): void {
  for (const kind of ['tools', 'prompts'] as const) {
    for (const [name, { provider }] of catalog[kind]) {
      const { source } = provider;
      if (!isOurs(source) && claims.ownerOf(kind, name) !== source) claims.claim(kind, name, source);
    }
  }
}
