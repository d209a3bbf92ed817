import type { PromptSpec, Provider, ResourceSpec, Source, TemplateSpec, ToolSpec } from '../core/index.js';
import { createNameClaims, type NameClaims } from './name-claims.js';
import type { Offered } from './offered.js';
import { type Contest, ownNames } from './own-names.js';
import type { Usable } from './unlisted.js';
import { templateMatches } from './uri-template.js';

export interface Collision {
  readonly name: string;
  readonly first: string;
  readonly second: string;
  /** The owner's name, if it differs but looks the same. */
  readonly looksLike?: string;
}

interface Instructions {
  readonly provider: Provider;
  readonly text: string;
}

/** The lists of all providers, merged in configuration order. */
export interface Catalog {
  readonly tools: ReadonlyMap<string, Offered<ToolSpec>>;
  readonly prompts: ReadonlyMap<string, Offered<PromptSpec>>;
  /** Names that more than one provider offers or has offered. */
  readonly contests: {
    readonly tools: ReadonlyMap<string, Contest<ToolSpec>>;
    readonly prompts: ReadonlyMap<string, Contest<PromptSpec>>;
  };
  readonly resources: ReadonlyMap<string, Offered<ResourceSpec>>;
  readonly templates: ReadonlyMap<string, Offered<TemplateSpec>>;
  /** URIs that an earlier provider owns, in provider order. */
  readonly laterResources: readonly Offered<ResourceSpec>[];
  readonly laterTemplates: readonly Offered<TemplateSpec>[];
  readonly instructions: readonly Instructions[];
  readonly collisions: readonly Collision[];
  readonly providers: readonly Provider[];
}

/**
 * Depends only on the providers' lists, on the name claims and on the owners of URIs in the catalog `before`. Offers of
 * names owned by another provider are dropped.
 */
export function mergeCatalogs(
  providers: readonly Provider[],
  claims: NameClaims = createNameClaims(),
  before?: Pick<Catalog, 'resources' | 'templates'>,
): Catalog {
  const tools = ownNames('tools', providers, claims, (list) => list.tools);
  const prompts = ownNames('prompts', providers, claims, (list) => list.prompts);
  return {
    tools: tools.owned,
    prompts: prompts.owned,
    contests: { tools: tools.contests, prompts: prompts.contests },
    ...addressesOf(providers, before),
    instructions: providers.flatMap((provider) => {
      const text = provider.list().instructions;
      return text ? [{ provider, text }] : [];
    }),
    collisions: [...collisionsOf(tools.contests), ...collisionsOf(prompts.contests)],
    providers,
  };
}

function collisionsOf<S extends ToolSpec | PromptSpec>(
  contests: ReadonlyMap<string, Contest<S>>,
): readonly Collision[] {
  return [...contests].flatMap(([name, { owner, later, looksLike }]) =>
    later.map(({ provider }) => ({
      name,
      first: owner.id,
      second: provider.id,
      ...(looksLike !== undefined && { looksLike }),
    })),
  );
}

/**
 * A URI belongs to the provider that already has it, else to the one configured first, so no provider can take one over
 * while the gateway runs. Callers that cannot see the owner get the next.
 */
function addressesOf(
  providers: readonly Provider[],
  before: Pick<Catalog, 'resources' | 'templates'> | undefined,
): Pick<Catalog, 'resources' | 'templates' | 'laterResources' | 'laterTemplates'> {
  const all = providers.map((provider) => ({ provider, list: provider.list() }));
  const resources = ownedOnce(
    all.flatMap(({ provider, list }) => list.resources.map((spec) => ({ spec, provider }))),
    ({ uri }) => uri,
    before?.resources,
  );
  const templates = ownedOnce(
    all.flatMap(({ provider, list }) => list.templates.map((spec) => ({ spec, provider }))),
    ({ uriTemplate }) => uriTemplate,
    before?.templates,
  );
  return {
    resources: resources.owned,
    templates: templates.owned,
    laterResources: resources.later,
    laterTemplates: templates.later,
  };
}

function ownedOnce<S extends ResourceSpec | TemplateSpec>(
  offers: readonly Offered<S>[],
  addressOf: (spec: S) => string,
  before: ReadonlyMap<string, Offered<S>> | undefined,
): { readonly owned: ReadonlyMap<string, Offered<S>>; readonly later: readonly Offered<S>[] } {
  const owned = new Map<string, Offered<S>>();
  for (const offered of offers) {
    const address = addressOf(offered.spec);
    const owner = before?.get(address)?.provider.source;
    if (!owned.has(address) || (offered.provider.source === owner && ownerIn(owned, address) !== owner))
      owned.set(address, offered);
  }
  return { owned, later: offers.filter((offered) => owned.get(addressOf(offered.spec)) !== offered) };
}

function ownerIn<S extends ResourceSpec | TemplateSpec>(
  owned: ReadonlyMap<string, Offered<S>>,
  address: string,
): Source | undefined {
  return owned.get(address)?.provider.source;
}

/** The first usable provider of a URI after its owner, if any. */
export function laterFor(catalog: Catalog, uri: string, usable: Usable): Offered<ResourceSpec> | undefined {
  let first: Offered<ResourceSpec> | undefined;
  for (const offered of catalog.laterResources) {
    // Checked even if the URI does not match, or timing would reveal a hidden resource.
    const found = usable(offered, 'resource');
    if (offered.spec.uri === uri) first ??= found;
  }
  return first;
}

/** The first usable template that matches a URI, if any. */
export function templateFor(
  catalog: Catalog,
  uri: string,
  usable: Usable,
): Offered<TemplateSpec> | undefined {
  let first: Offered<TemplateSpec> | undefined;
  for (const offered of [...catalog.templates.values(), ...catalog.laterTemplates]) {
    const found = usable(offered, 'template');
    if (templateMatches(offered.spec.uriTemplate, uri)) first ??= found;
  }
  return first;
}
