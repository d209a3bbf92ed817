import type { Catalogue, PromptSpec, Provider, Source, ToolSpec } from '../core/index.js';
import { skeletonOf } from '../lib/deceptive-names.js';
import type { NameClaims, NamedKind } from './name-claims.js';
import type { Offered } from './offered.js';

type Named = ToolSpec | PromptSpec;

/** A name that more than one provider offers. */
export interface Contest<S extends Named> {
  /** The owner of the name, even while it does not offer it. */
  readonly owner: Provider;
  /** Dropped offers. Only callers that cannot see the owner get the first of them. */
  readonly later: readonly Offered<S>[];
  /** The owner's name, if the dropped name differs but looks the same. */
  readonly looksLike?: string;
}

export interface OwnedNames<S extends Named> {
  readonly owned: ReadonlyMap<string, Offered<S>>;
  readonly contests: ReadonlyMap<string, Contest<S>>;
}

/**
 * Decides which provider owns each name: built-in tools first, then the provider with the longest matching prefix, even
 * if it does not offer the name. Ties go to the provider that claimed the name before, then to one that offers it, then
 * to the first in the configuration. So restarts and reordering change nothing.
 */
export function ownNames<S extends Named>(
  kind: NamedKind,
  providers: readonly Provider[],
  claims: NameClaims,
  namesOf: (list: Catalogue) => readonly S[],
): OwnedNames<S> {
  const bySource = new Map<Source, Provider>(providers.map((provider) => [provider.source, provider]));
  const offers = new Map<string, Offered<S>[]>();
  for (const provider of providers) {
    for (const spec of namesOf(provider.list())) {
      const same = offers.get(spec.name);
      if (same === undefined) offers.set(spec.name, [{ spec, provider }]);
      else same.push({ spec, provider });
    }
  }
  const owned = new Map<string, Offered<S>>();
  const contests = new Map<string, Contest<S>>();
  for (const [name, wanted] of offers) {
    const claimant = claims.ownerOf(kind, name);
    const holder = claimant === undefined ? undefined : bySource.get(claimant);
    const owner =
      wanted.find(({ provider }) => isOurs(provider.source))?.provider ??
      ownerByPrefix(name, { wanted, holder, providers }) ??
      holder ??
      longest(wanted);
    const own = wanted.find(({ provider }) => provider === owner);
    if (own !== undefined) owned.set(name, own);
    const later = wanted.filter((offered) => offered !== own);
    if (later.length > 0) contests.set(name, { owner, later });
  }
  dropLookAlikes(owned, contests, (name) => claims.ownerOf(kind, name));
  return { owned, contests };
}

/** Of look-alike names from several providers one is kept, by the same order as for equal names. */
function dropLookAlikes<S extends Named>(
  owned: Map<string, Offered<S>>,
  contests: Map<string, Contest<S>>,
  claimantOf: (name: string) => Source | undefined,
): void {
  const alike = new Map<string, Offered<S>[]>();
  for (const [name, offered] of owned) {
    const skeleton = skeletonOf(name);
    const same = alike.get(skeleton);
    if (same === undefined) alike.set(skeleton, [offered]);
    else same.push(offered);
  }
  for (const same of alike.values()) {
    if (same.length < 2) continue;
    const claimed = same.filter(({ spec, provider }) => claimantOf(spec.name) === provider.source);
    const owner =
      same.find(({ provider }) => isOurs(provider.source))?.provider ??
      longest(claimed.length > 0 ? claimed : same);
    const looksLike = same.find(({ provider }) => provider === owner)?.spec.name ?? '';
    for (const offered of same) {
      const { spec, provider } = offered;
      if (provider === owner || isOurs(provider.source)) continue;
      owned.delete(spec.name);
      const later = [offered, ...(contests.get(spec.name)?.later ?? [])];
      contests.set(spec.name, { owner, later, looksLike });
    }
  }
}

/** Other providers can never claim names of built-in tools. */
export function isOurs(source: Source): boolean {
  return source === 'builtin' || source === 'workspace';
}

interface Rivals<S extends Named> {
  readonly wanted: readonly Offered<S>[];
  readonly holder: Provider | undefined;
  readonly providers: readonly Provider[];
}

/** Pattern grants were made for this provider, so no other gets its names while it is down. */
function ownerByPrefix<S extends Named>(
  name: string,
  { wanted, holder, providers }: Rivals<S>,
): Provider | undefined {
  let [owners, length]: [Provider[], number] = [[], 1];
  for (const provider of providers) {
    const { prefix = '' } = provider;
    if (prefix.length < length || !name.startsWith(prefix)) continue;
    if (prefix.length > length) [owners, length] = [[], prefix.length];
    owners.push(provider);
  }
  if (holder !== undefined && owners.includes(holder)) return holder;
  return wanted.find(({ provider }) => owners.includes(provider))?.provider ?? owners[0];
}

function longest<S extends Named>(wanted: readonly Offered<S>[]): Provider {
  const prefix = ({ spec }: Offered<S>): number => spec.name.length - spec.localName.length;
  return wanted.reduce((best, offered) => (prefix(offered) > prefix(best) ? offered : best)).provider;
}
