import type { PromptSpec, ResourceSpec, Spec, TemplateSpec, ToolSpec } from '../kernel/index.js';
import type { Catalog, Offered } from './catalog.js';

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
    tools: specs(catalog.tools),
    prompts: specs(catalog.prompts),
    resources: specs(catalog.resources),
    templates: specs(catalog.templates),
  };
}

/** Lists that did not change keep their identity, so that nobody is told of a change that is none. */
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

function isSame(a: Spec, b: Spec | undefined): boolean {
  return a.source === b?.source && a.definition.text === b.definition.text;
}

export function keptIfEqual(before: readonly Spec[] | undefined, now: readonly Spec[]): readonly Spec[] {
  const isEqual = before?.length === now.length && before.every((spec, at) => isSame(spec, now[at]));
  return isEqual ? before : now;
}
