import type {
  Catalogue,
  PromptSpec,
  Provider,
  ResourceSpec,
  Spec,
  TemplateSpec,
  ToolSpec,
} from '../kernel/index.js';
import { templateMatches } from './uri-template.js';

export interface Offered<S extends Spec> {
  readonly spec: S;
  readonly provider: Provider;
}

export interface Collision {
  readonly name: string;
  readonly first: string;
  readonly second: string;
}

interface Instructions {
  readonly provider: Provider;
  readonly text: string;
}

/** Everything that all providers offer, merged in the order in which they were configured. */
export interface Catalog {
  readonly tools: ReadonlyMap<string, Offered<ToolSpec>>;
  readonly prompts: ReadonlyMap<string, Offered<PromptSpec>>;
  readonly resources: ReadonlyMap<string, Offered<ResourceSpec>>;
  readonly templates: ReadonlyMap<string, Offered<TemplateSpec>>;
  /** Addresses that an earlier provider has, in the order of the providers. */
  readonly laterResources: readonly Offered<ResourceSpec>[];
  readonly laterTemplates: readonly Offered<TemplateSpec>[];
  readonly instructions: readonly Instructions[];
  readonly collisions: readonly Collision[];
  /** The providers that were not left out. */
  readonly providers: readonly Provider[];
}

/** A pure function of the providers' lists. A provider that takes an earlier one's name is left out whole. */
export function mergeCatalogs(providers: readonly Provider[]): Catalog {
  const merged = {
    tools: new Map<string, Offered<ToolSpec>>(),
    prompts: new Map<string, Offered<PromptSpec>>(),
    resources: new Map<string, Offered<ResourceSpec>>(),
    templates: new Map<string, Offered<TemplateSpec>>(),
    laterResources: [] as Offered<ResourceSpec>[],
    laterTemplates: [] as Offered<TemplateSpec>[],
    instructions: [] as Instructions[],
    collisions: [] as Collision[],
    providers: [] as Provider[],
  };
  for (const provider of providers) {
    const list = provider.list();
    const clashes = [
      ...clashesOf(provider, list.tools, merged.tools),
      ...clashesOf(provider, list.prompts, merged.prompts),
    ];
    // One by one: there are as many as a server likes, and a call takes only so many arguments.
    for (const clash of clashes) merged.collisions.push(clash);
    if (clashes.length === 0) addAll(merged, provider, list);
  }
  return merged;
}

function clashesOf<S extends ToolSpec | PromptSpec>(
  provider: Provider,
  specs: readonly S[],
  taken: ReadonlyMap<string, Offered<S>>,
): Collision[] {
  return specs.flatMap(({ name }) => {
    const other = taken.get(name);
    return other ? [{ name, first: other.provider.id, second: provider.id }] : [];
  });
}

interface Merging {
  readonly tools: Map<string, Offered<ToolSpec>>;
  readonly prompts: Map<string, Offered<PromptSpec>>;
  readonly resources: Map<string, Offered<ResourceSpec>>;
  readonly templates: Map<string, Offered<TemplateSpec>>;
  readonly laterResources: Offered<ResourceSpec>[];
  readonly laterTemplates: Offered<TemplateSpec>[];
  readonly instructions: Instructions[];
  readonly providers: Provider[];
}

function addAll(merged: Merging, provider: Provider, list: Catalogue): void {
  merged.providers.push(provider);
  for (const spec of list.tools) merged.tools.set(spec.name, { spec, provider });
  for (const spec of list.prompts) merged.prompts.set(spec.name, { spec, provider });
  // An address belongs to the provider that was configured first: a later one cannot take it over. It has it only for
  // those who may not know of the first.
  for (const spec of list.resources) {
    if (merged.resources.has(spec.uri)) merged.laterResources.push({ spec, provider });
    else merged.resources.set(spec.uri, { spec, provider });
  }
  for (const spec of list.templates) {
    if (merged.templates.has(spec.uriTemplate)) merged.laterTemplates.push({ spec, provider });
    else merged.templates.set(spec.uriTemplate, { spec, provider });
  }
  if (list.instructions) merged.instructions.push({ provider, text: list.instructions });
}

/** A provider that has an address after another one, if any: the first one that may be used. */
export function laterFor(
  catalog: Catalog,
  uri: string,
  usable: (offered: Offered<ResourceSpec>) => Offered<ResourceSpec> | undefined,
): Offered<ResourceSpec> | undefined {
  for (const offered of catalog.laterResources) {
    const found = offered.spec.uri === uri ? usable(offered) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The template that an address was made from, if any: the first one that may be used. */
export function templateFor(
  catalog: Catalog,
  uri: string,
  usable: (offered: Offered<TemplateSpec>) => Offered<TemplateSpec> | undefined,
): Offered<TemplateSpec> | undefined {
  for (const offered of [...catalog.templates.values(), ...catalog.laterTemplates]) {
    const found = templateMatches(offered.spec.uriTemplate, uri) ? usable(offered) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
