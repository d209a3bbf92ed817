import type { Problem } from './access-error.js';
import { type ConditionModel, type RelationModel, type Rewrite, type TypeModel } from './model.js';

type Types = ReadonlyMap<string, ReadonlyMap<string, RelationModel>>;
type Report = (code: Problem['code'], at: string, message: string) => void;

const nameOf = { type: /^[^:#@*\s]{1,254}$/u, relation: /^[^:#@*\s]{1,50}$/u };
const reserved = ['self', 'this'];

/** All problems of a model's types and relations, in model order. */
export function validateModel(
  types: readonly TypeModel[],
  conditions: readonly ConditionModel[],
): readonly Problem[] {
  const problems: Problem[] = [];
  const report: Report = (code, at, message) => problems.push({ code, at, message });
  const known: Types = new Map(types.map(({ name, relations }) => [name, byName(relations)]));
  const conditionNames = new Set(conditions.map(({ name }) => name));
  checkNames(types, report);
  for (const type of types) {
    for (const relation of type.relations) {
      checkRewrite({ type: type.name, relation, known, report }, relation.rewrite);
      checkRestrictions({ type: type.name, relation, known, report }, conditionNames);
    }
  }
  if (problems.length === 0) checkCircles(types, known, report);
  return problems;
}

interface Place {
  readonly type: string;
  readonly relation: RelationModel;
  readonly known: Types;
  readonly report: Report;
}

function byName(relations: readonly RelationModel[]): ReadonlyMap<string, RelationModel> {
  return new Map(relations.map((relation) => [relation.name, relation]));
}

function checkNames(types: readonly TypeModel[], report: Report): void {
  const seen = new Set<string>();
  for (const { name, relations } of types) {
    if (seen.has(name)) report('model.duplicate_type', name, `type ${name} is defined twice`);
    seen.add(name);
    if (!nameOf.type.test(name) || reserved.includes(name))
      report('model.name', name, `${JSON.stringify(name)} is not a valid type name`);
    for (const relation of relations) {
      if (nameOf.relation.test(relation.name) && !reserved.includes(relation.name)) continue;
      const at = `${name}#${relation.name}`;
      report('model.name', at, `${JSON.stringify(relation.name)} is not a valid relation name`);
    }
  }
}

function checkRewrite(place: Place, rewrite: Rewrite): void {
  const { type, relation, known, report } = place;
  const at = `${type}#${relation.name}`;
  switch (rewrite.kind) {
    case 'direct':
      return;
    case 'computed':
      if (rewrite.relation === relation.name)
        report('model.cycle', at, `${at} is defined in terms of itself`);
      else if (known.get(type)?.has(rewrite.relation) !== true)
        report(
          'model.undefined_relation',
          at,
          `${at} uses ${rewrite.relation}, which ${type} does not define`,
        );
      return;
    case 'through':
      return checkFrom(place, rewrite);
    case 'not':
      checkRewrite(place, rewrite.base);
      return checkRewrite(place, rewrite.subtract);
    default:
      for (const child of rewrite.of) checkRewrite(place, child);
  }
}

function checkFrom(
  { type, relation, known, report }: Place,
  rewrite: { readonly tupleset: string; readonly relation: string },
): void {
  const at = `${type}#${relation.name}`;
  const tupleset = known.get(type)?.get(rewrite.tupleset);
  if (tupleset === undefined)
    return report(
      'model.undefined_relation',
      at,
      `${at} uses ${rewrite.tupleset}, which ${type} does not define`,
    );
  const isDirect =
    tupleset.rewrite.kind === 'direct' &&
    tupleset.direct.every((one) => one.relation === undefined && one.wildcard !== true);
  if (!isDirect)
    report(
      'model.tupleset_not_direct',
      at,
      `${type}#${rewrite.tupleset} is used after "from", so it may only allow objects`,
    );
  if (!tupleset.direct.some((one) => known.get(one.type)?.has(rewrite.relation) === true))
    report(
      'model.undefined_relation',
      at,
      `no type that ${type}#${rewrite.tupleset} allows defines ${rewrite.relation}`,
    );
}

function checkRestrictions({ type, relation, known, report }: Place, conditions: ReadonlySet<string>): void {
  const at = `${type}#${relation.name}`;
  const isAssignable = holdsDirect(relation.rewrite);
  if (isAssignable && relation.direct.length === 0)
    report('model.no_type_restriction', at, `${at} can be assigned but allows no type`);
  if (!isAssignable && relation.direct.length > 0)
    report('model.not_assignable', at, `${at} cannot be assigned but lists types`);
  for (const one of relation.direct) {
    if (!known.has(one.type))
      report('model.undefined_type', at, `${at} allows ${one.type}, which is not defined`);
    else if (one.relation !== undefined && known.get(one.type)?.has(one.relation) !== true)
      report(
        'model.undefined_relation',
        at,
        `${at} allows ${one.type}#${one.relation}, which is not defined`,
      );
    if (one.relation !== undefined && one.wildcard === true)
      report('model.invalid_rewrite', at, `${at} allows a wildcard together with a relation`);
    if (one.condition !== undefined && !conditions.has(one.condition))
      report('model.undefined_condition', at, `${at} uses condition ${one.condition}, which is not defined`);
  }
}

function holdsDirect(rewrite: Rewrite): boolean {
  if (rewrite.kind === 'not') return holdsDirect(rewrite.base) || holdsDirect(rewrite.subtract);
  if (rewrite.kind === 'or' || rewrite.kind === 'and') return rewrite.of.some((child) => holdsDirect(child));
  return rewrite.kind === 'direct';
}

/** Finds relations that can never apply, and cyclic definitions. */
function checkCircles(types: readonly TypeModel[], known: Types, report: Report): void {
  const open = relationsWithEntry(types, known);
  for (const { name, relations } of types) {
    for (const relation of relations) {
      const at = `${name}#${relation.name}`;
      if (!open.has(at)) report('model.no_entrypoint', at, `${at} can never apply: no path leads to a type`);
      else if (meetsItself(known.get(name), relation, new Set()))
        report('model.cycle', at, `${at} is part of a cyclic definition`);
    }
  }
}

function relationsWithEntry(types: readonly TypeModel[], known: Types): ReadonlySet<string> {
  const open = new Set<string>();
  for (let before = -1; before < open.size; ) {
    before = open.size;
    for (const { name, relations } of types) {
      for (const relation of relations) {
        if (hasEntry(name, relation, relation.rewrite)) open.add(`${name}#${relation.name}`);
      }
    }
  }
  return open;

  function hasEntry(type: string, relation: RelationModel, rewrite: Rewrite): boolean {
    switch (rewrite.kind) {
      case 'direct':
        return relation.direct.some(
          (one) => one.relation === undefined || open.has(`${one.type}#${one.relation}`),
        );
      case 'computed':
        return open.has(`${type}#${rewrite.relation}`);
      case 'through': {
        const parents = known.get(type)?.get(rewrite.tupleset)?.direct ?? [];
        return parents.some((parent) => open.has(`${parent.type}#${rewrite.relation}`));
      }
      case 'not':
        return hasEntry(type, relation, rewrite.base) && hasEntry(type, relation, rewrite.subtract);
      case 'and':
        return rewrite.of.every((child) => hasEntry(type, relation, child));
      case 'or':
        return rewrite.of.some((child) => hasEntry(type, relation, child));
    }
  }
}

function meetsItself(
  siblings: ReadonlyMap<string, RelationModel> | undefined,
  relation: RelationModel,
  path: ReadonlySet<string>,
): boolean {
  if (path.has(relation.name)) return true;
  const longer = new Set([...path, relation.name]);
  return computedIn(relation.rewrite).some((name) => {
    const next = siblings?.get(name);
    return next !== undefined && meetsItself(siblings, next, longer);
  });
}

function computedIn(rewrite: Rewrite): readonly string[] {
  if (rewrite.kind === 'computed') return [rewrite.relation];
  if (rewrite.kind === 'not') return [...computedIn(rewrite.base), ...computedIn(rewrite.subtract)];
  return rewrite.kind === 'or' || rewrite.kind === 'and'
    ? rewrite.of.flatMap((child) => computedIn(child))
    : [];
}
