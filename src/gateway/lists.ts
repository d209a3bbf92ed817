import type { PromptSpec, ResourceSpec, Spec, TemplateSpec, ToolSpec } from '../core/index.js';
import type { Catalog } from './catalog.js';
import type { Offered } from './offered.js';

export interface Lists {
  readonly tools: readonly ToolSpec[];
  readonly prompts: readonly PromptSpec[];
  readonly resources: readonly ResourceSpec[];
  readonly templates: readonly TemplateSpec[];
}

export type ListKind = keyof Lists;
export type ListOf<K extends ListKind> = Lists[K];
export const listKinds = [
  'tools',
  'prompts',
  'resources',
  'templates',
] as const satisfies readonly ListKind[];

export function listsOf(catalog: Catalog): Lists {
  const specs = <S extends Spec>(map: ReadonlyMap<string, Offered<S>>): readonly S[] =>
    Object.freeze([...map.values()].map(({ spec }) => spec));
  return {
    // Keep dropped offers in place: a caller that cannot see the owner of a name gets the next one.
    tools:
      catalog.contests.tools.size === 0
        ? specs(catalog.tools)
        : Object.freeze(catalog.providers.flatMap((provider) => provider.list().tools)),
    prompts:
      catalog.contests.prompts.size === 0
        ? specs(catalog.prompts)
        : Object.freeze(catalog.providers.flatMap((provider) => provider.list().prompts)),
    resources: Object.freeze([
      ...specs(catalog.resources),
      ...catalog.laterResources.map(({ spec }) => spec),
    ]),
    templates: Object.freeze([
      ...specs(catalog.templates),
      ...catalog.laterTemplates.map(({ spec }) => spec),
    ]),
  };
}

/** Keeps the first item per name or URI. */
export function firstsOf<S extends Spec>(visible: readonly S[]): readonly S[] {
  const seen = new Set<string>();
  return visible.filter((spec) => seen.size < seen.add(addressOf(spec)).size);
}

function addressOf(spec: Spec): string {
  if (spec.kind === 'resource') return spec.uri;
  return spec.kind === 'template' ? spec.uriTemplate : spec.name;
}

/** Unchanged lists keep their identity, so that no change is reported for them. */
export function keepEqual(before: Lists, after: Lists): Lists {
  const pick = <S extends Spec>(a: readonly S[], b: readonly S[]): readonly S[] =>
    a.length === b.length && a.every((spec, i) => isSame(spec, b[i])) ? a : b;
  return {
    tools: pick(before.tools, after.tools),
    prompts: pick(before.prompts, after.prompts),
    resources: pick(before.resources, after.resources),
    templates: pick(before.templates, after.templates),
  };
}

export function isSame(a: Spec, b: Spec | undefined): boolean {
  return a.source === b?.source && a.definition.text === b.definition.text;
}

export function keptIfEqual(before: readonly Spec[] | undefined, now: readonly Spec[]): readonly Spec[] {
  const isEqual = before?.length === now.length && before.every((spec, at) => isSame(spec, now[at]));
  return isEqual ? before : now;
}
