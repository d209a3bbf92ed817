import type { RecordField } from './field.js';
import { quote } from '../lib/source-place.js';
import { type Place, type ReadContext, suggestion } from './read-context.js';
import { isAbsent, type MapEntry, type MapNode } from '../lib/tree.js';

/** Checks the keys of a record, without looking at their values. */
export function checkRecord(field: RecordField, place: Place<MapNode>, context: ReadContext): void {
  const { node, path } = place;
  if (field.isOpen !== true) reportUnknown(field, place, context);
  const filled = node.entries.filter(({ value }) => !isAbsent(value));
  const present: Present = new Map(filled.map((entry) => [entry.key, entry]));
  for (const [key, { required }] of Object.entries(field.fields)) {
    if (required !== true || present.has(key)) continue;
    context.report({
      code: 'config.missing',
      offset: node.start,
      path,
      message: `The required key ${key} is missing.`,
    });
  }
  if (hasExactlyOne(field, present, place, context)) reportMisplaced(field, present, place, context);
}

type Present = ReadonlyMap<string, MapEntry>;

function reportUnknown(field: RecordField, { node, path }: Place<MapNode>, context: ReadContext): void {
  const { fields, hints = {} } = field;
  for (const { key, start } of node.entries) {
    if (Object.hasOwn(fields, key)) continue;
    const hint = Object.hasOwn(hints, key) ? hints[key] : undefined;
    const known = Object.keys(fields);
    const remedy = hint === undefined ? (nested(key, known) ?? suggestion(key, known)) : { remedy: hint };
    const message = `Unknown key ${quote(key)}.`;
    context.report({ code: 'config.unknown_key', offset: start, path: [...path, key], message, ...remedy });
  }
}

/** Detects a dotted path that was written as one key. */
function nested(key: string, known: readonly string[]): { readonly remedy: string } | undefined {
  const [first = '', ...rest] = key.split('.');
  if (rest.length === 0 || !known.includes(first)) return undefined;
  return { remedy: `Nest \`${rest.join('.')}:\` under \`${first}:\`.` };
}

function hasExactlyOne(
  { exactlyOne }: RecordField,
  present: Present,
  { node, path }: Place<MapNode>,
  context: ReadContext,
): boolean {
  if (exactlyOne === undefined) return true;
  const [first, second] = exactlyOne;
  const other = present.get(second);
  if (present.has(first) !== (other !== undefined)) return true;
  if (other === undefined) {
    const message = `Either ${first} or ${second} is required.`;
    context.report({
      code: 'config.missing',
      offset: node.start,
      path,
      message,
      remedy: `Add ${first} or ${second}.`,
    });
  } else {
    const message = `${first} and ${second} cannot be used together.`;
    context.report({ code: 'config.exclusive', offset: other.start, path: [...path, second], message });
  }
  return false;
}

function reportMisplaced(
  { fields }: RecordField,
  present: Present,
  { path }: Place<MapNode>,
  context: ReadContext,
): void {
  for (const [key, { beside }] of Object.entries(fields)) {
    const entry = present.get(key);
    if (beside === undefined || entry === undefined || present.has(beside)) continue;
    const message = `${key} is only allowed together with ${beside}.`;
    const remedy = 'Remove it.';
    context.report({ code: 'config.exclusive', offset: entry.start, path: [...path, key], message, remedy });
  }
}
