import { AccessError, type CompiledModel, loadConditions, type Problem } from './engine/index.js';
import { type ConditionModel, referenceOf, type RelationModel, type TypeModel } from './engine/model.js';
import { readModel } from './engine/read-model.js';
import { validateModel } from './engine/validate-model.js';
import { definitionsIn, type ModelProblem, ModelRefused, parseModelText } from './model-text.js';

type Report = (problem: Pick<ModelProblem, 'code' | 'at' | 'message'>) => void;

/** Relations of blocks and memberships: no model may invalidate their tuples. */
const mayOnlyGrow = new Set([
  'group#blocked',
  'provider#blocked',
  'provider#group',
  'tool#blocked',
  'tool#provider',
  'tool#group',
]);

/**
 * Extends the built-in model with the text of a workspace. A type in the text replaces the built-in type of the same name
 * and must define all of its relations; other types stay unchanged. Throws a ModelRefused with all problems and positions.
 */
export async function extendModel(base: CompiledModel, text: string): Promise<CompiledModel> {
  const json = await parseModelText(text);
  const places = definitionsIn(text);
  const problems: ModelProblem[] = [];
  const report: Report = ({ code, at, message }) => {
    const place = places.get(at) ?? places.get(at.split('#')[0] ?? '') ?? { line: 1, column: 1 };
    problems.push({ code, at, message, ...place });
  };
  const added = readModel({ ...json, type_definitions: json['type_definitions'] ?? [] });
  added.problems.forEach(report);
  const model: CompiledModel = {
    format: 1,
    types: joinTypes(base.types, added.types, report),
    conditions: joinConditions(base.conditions, added.conditions, report),
  };
  if (problems.length === 0) validateModel(model.types, model.conditions).forEach(report);
  if (problems.length === 0) (await conditionProblems(model)).forEach(report);
  if (problems.length > 0) throw new ModelRefused(problems);
  return model;
}

function joinTypes(
  shipped: readonly TypeModel[],
  added: readonly TypeModel[],
  report: Report,
): readonly TypeModel[] {
  for (const type of shipped) {
    for (const other of added.filter(({ name }) => name === type.name)) compareTypes(type, other, report);
  }
  const names = new Set(added.map(({ name }) => name));
  return [...shipped.filter(({ name }) => !names.has(name)), ...added];
}

function compareTypes({ name, relations }: TypeModel, other: TypeModel, report: Report): void {
  const theirs = new Map(other.relations.map((relation) => [relation.name, relation]));
  for (const relation of relations) {
    const at = `${name}#${relation.name}`;
    const their = theirs.get(relation.name);
    if (their === undefined)
      report({ code: 'model.missing_relation', at, message: `type ${name} must define ${relation.name}` });
    else if (mayOnlyGrow.has(at)) compareRestrictions(at, relation, their, report);
  }
}

function compareRestrictions(at: string, shipped: RelationModel, other: RelationModel, report: Report): void {
  const taken = new Set(other.direct.map(written));
  const lost = shipped.direct.map(written).filter((one) => !taken.has(one));
  if (lost.length > 0)
    report({ code: 'model.narrowed', at, message: `${at} must also allow ${lost.join(', ')}` });
}

function written(restriction: RelationModel['direct'][number]): string {
  const { condition } = restriction;
  return referenceOf(restriction) + (condition === undefined ? '' : ` with ${condition}`);
}

function joinConditions(
  shipped: readonly ConditionModel[],
  added: readonly ConditionModel[],
  report: Report,
): readonly ConditionModel[] {
  for (const condition of shipped) {
    const other = added.find(({ name }) => name === condition.name);
    if (other === undefined || meaning(other) === meaning(condition)) continue;
    const { name } = condition;
    report({ code: 'model.changed', at: name, message: `condition ${name} cannot be changed` });
  }
  const names = new Set(shipped.map(({ name }) => name));
  return [...shipped, ...added.filter(({ name }) => !names.has(name))];
}

function meaning({ expression, parameters }: ConditionModel): string {
  return JSON.stringify([expression.trim().replaceAll(/\s+/g, ' '), parameters]);
}

async function conditionProblems(model: CompiledModel): Promise<readonly Problem[]> {
  try {
    await loadConditions(model);
    return [];
  } catch (error) {
    if (error instanceof AccessError) return error.problems;
    throw error;
  }
}
