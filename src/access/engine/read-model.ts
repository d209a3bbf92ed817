import { AccessError, type Problem } from './access-error.js';
import {
  type ConditionModel,
  parameterKinds,
  type ParameterType,
  type RelationModel,
  type Restriction,
  type Rewrite,
  type TypeModel,
} from './model.js';

/** A model read from OpenFGA's JSON form, as far as possible, with its problems. */
export interface ReadModel {
  readonly types: readonly TypeModel[];
  readonly conditions: readonly ConditionModel[];
  readonly problems: readonly Problem[];
}

type Fields = Readonly<Record<string, unknown>>;
type Report = (code: Problem['code'], at: string, message: string) => void;

/** Reads the JSON form, in snake_case or camelCase (`type_definitions`, `typeDefinitions`). */
export function readModel(json: unknown): ReadModel {
  const problems: Problem[] = [];
  const report: Report = (code, at, message) => problems.push({ code, at, message });
  const model = fieldsOf(json);
  if (model === undefined) throw new AccessError('model.shape', 'the model is not an object');
  const version = get(model, 'schema_version');
  if (version !== '1.1' && version !== '1.2')
    report(
      'model.schema_version',
      'model',
      `schema version ${JSON.stringify(version)} is not supported, use 1.1`,
    );
  const definitions = get(model, 'type_definitions');
  if (!Array.isArray(definitions)) throw new AccessError('model.shape', 'the model has no type_definitions');
  const types = definitions.map((definition) => readType(definition, report));
  const conditions = entriesOf(get(model, 'conditions')).map(([key, value]) =>
    readCondition(key, value, report),
  );
  return { types, conditions, problems };
}

function readType(value: unknown, report: Report): TypeModel {
  const definition = fieldsOf(value) ?? {};
  const name = textOf(definition['type']);
  const metadata = fieldsOf(get(fieldsOf(definition['metadata']) ?? {}, 'relations')) ?? {};
  const relations = entriesOf(definition['relations']).map(([relation, rewrite]): RelationModel => {
    const at = `${name}#${relation}`;
    const restrictions = get(fieldsOf(own(metadata, relation)) ?? {}, 'directly_related_user_types');
    const direct = Array.isArray(restrictions) ? restrictions.map((one) => readRestriction(one)) : [];
    return { name: relation, rewrite: readRewrite(rewrite, at, report), direct };
  });
  return { name, relations };
}

function readRestriction(value: unknown): Restriction {
  const fields = fieldsOf(value) ?? {};
  const relation = textOf(fields['relation']);
  const condition = textOf(fields['condition']);
  return {
    type: textOf(fields['type']),
    ...(relation === '' ? {} : { relation }),
    ...(fieldsOf(fields['wildcard']) === undefined ? {} : { wildcard: true }),
    ...(condition === '' ? {} : { condition }),
  };
}

function readRewrite(value: unknown, at: string, report: Report): Rewrite {
  const fields = fieldsOf(value) ?? {};
  if (fieldsOf(fields['this']) !== undefined) return { kind: 'direct' };
  const computed = fieldsOf(get(fields, 'computed_userset'));
  if (computed !== undefined) return { kind: 'computed', relation: textOf(computed['relation']) };
  const from = fieldsOf(get(fields, 'tuple_to_userset'));
  if (from !== undefined) {
    const relation = textOf(fieldsOf(get(from, 'computed_userset'))?.['relation']);
    return { kind: 'through', tupleset: textOf(fieldsOf(from['tupleset'])?.['relation']), relation };
  }
  const difference = fieldsOf(fields['difference']);
  if (difference !== undefined) {
    const base = readRewrite(difference['base'], at, report);
    return { kind: 'not', base, subtract: readRewrite(difference['subtract'], at, report) };
  }
  return readSet(fields, at, report);
}

function readSet(fields: Fields, at: string, report: Report): Rewrite {
  for (const [key, kind] of [['union', 'or'] as const, ['intersection', 'and'] as const]) {
    const children = fieldsOf(fields[key])?.['child'];
    if (!Array.isArray(children)) continue;
    if (children.length < 2)
      report('model.invalid_rewrite', at, `the ${key} at ${at} has fewer than two operands`);
    return { kind, of: children.map((child) => readRewrite(child, at, report)) };
  }
  report('model.invalid_rewrite', at, `${at} has no known rewrite`);
  return { kind: 'or', of: [] };
}

function readCondition(key: string, value: unknown, report: Report): ConditionModel {
  const fields = fieldsOf(value) ?? {};
  const name = textOf(fields['name']);
  if (name !== key) report('model.condition', key, `condition ${key} has a different name inside: ${name}`);
  const parameters = entriesOf(fields['parameters']).map(([parameter, type]) => ({
    name: parameter,
    type: readParameterType(type, `${key}.${parameter}`, report),
  }));
  return { name: key, expression: textOf(fields['expression']), parameters };
}

function readParameterType(value: unknown, at: string, report: Report): ParameterType {
  const fields = fieldsOf(value) ?? {};
  const name = textOf(get(fields, 'type_name')).replace('TYPE_NAME_', '').toLowerCase();
  const kind = parameterKinds.find((one) => one === name);
  if (kind === undefined) {
    report('model.condition', at, `parameter ${at} has unknown type ${JSON.stringify(name)}`);
    return { kind: 'any' };
  }
  if (kind !== 'map' && kind !== 'list') return { kind };
  const generic = get(fields, 'generic_types');
  const of: unknown = Array.isArray(generic) ? generic[0] : undefined;
  if (of === undefined) report('model.condition', at, `parameter ${at} has no element type`);
  return { kind, of: of === undefined ? { kind: 'any' } : readParameterType(of, at, report) };
}

/** A field by its snake_case or camelCase name. */
function get(fields: Fields, name: string): unknown {
  return (
    own(fields, name) ??
    own(
      fields,
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    )
  );
}

function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries(fieldsOf(value) ?? {});
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
