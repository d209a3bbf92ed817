import { quote } from '../source-place.js';
import { isAbsent, type MapEntry, type MapNode } from '../tree.js';
import { missingKey, type Place, type ReadContext, suggestion } from './context.js';
import type { RecordField } from './field.js';

type IsKnown = (key: string) => boolean;

/** Checks the keys of a record, without looking at their values. `isKnown`: keys that other code reads. */
export function checkRecord<C extends string>(
  field: RecordField,
  place: Place<MapNode>,
  context: ReadContext<C>,
  isKnown: IsKnown,
): void {
  const { node, path } = place;
  reportUnknown(field, place, context, isKnown);
  const filled = node.entries.filter(({ value }) => !isAbsent(value));
  const present: Present = new Map(filled.map((entry) => [entry.key, entry]));
  const code = context.language.codes.missing;
  for (const [key, { required }] of Object.entries(field.fields)) {
    if (required !== true || present.has(key)) continue;
    context.report({ code, offset: node.start, path, ...missingKey(key) });
  }
  if (hasExactlyOne(field, present, place, context)) reportMisplaced(field, present, place, context);
}

type Present = ReadonlyMap<string, MapEntry>;

function reportUnknown<C extends string>(
  { fields, hints = {}, unknownKeys }: RecordField,
  { node, path }: Place<MapNode>,
  context: ReadContext<C>,
  isKnown: IsKnown,
): void {
  const handling = unknownKeys ?? context.language.unknownKeys;
  if (handling === 'accept') return;
  const code = context.language.codes.unknownKey[handling];
  const known = Object.keys(fields);
  for (const { key, start, value } of node.entries) {
    if (Object.hasOwn(fields, key) || isKnown(key)) continue;
    const hint = Object.hasOwn(hints, key) ? hints[key] : undefined;
    const remedy = hint === undefined ? (nested(key, known) ?? suggestion(key, known)) : { remedy: hint };
    const message = `Unknown key ${quote(key)}.`;
    const { report } = context.inside?.(value) ?? context;
    report({ code, offset: start, path: [...path, key], message, ...remedy });
  }
}

/** Detects a dotted path that was written as one key. */
function nested(key: string, known: readonly string[]): { readonly remedy: string } | undefined {
  const [first = '', ...rest] = key.split('.');
  if (rest.length === 0 || !known.includes(first)) return undefined;
  return { remedy: `Nest \`${rest.join('.')}:\` under \`${first}:\`.` };
}

function hasExactlyOne<C extends string>(
  { exactlyOne }: RecordField,
  present: Present,
  { node, path }: Place<MapNode>,
  { language: { codes }, report }: ReadContext<C>,
): boolean {
  if (exactlyOne === undefined) return true;
  const [first, second] = exactlyOne;
  const other = present.get(second);
  if (present.has(first) !== (other !== undefined)) return true;
  if (other === undefined) {
    const message = `Either ${first} or ${second} is required.`;
    const remedy = `Add ${first} or ${second}.`;
    report({ code: codes.missing, offset: node.start, path, message, remedy });
  } else {
    const message = `${first} and ${second} cannot be used together.`;
    report({ code: codes.exclusive, offset: other.start, path: [...path, second], message });
  }
  return false;
}

function reportMisplaced<C extends string>(
  { fields }: RecordField,
  present: Present,
  { path }: Place<MapNode>,
  { language: { codes }, report }: ReadContext<C>,
): void {
  for (const [key, { beside }] of Object.entries(fields)) {
    const entry = present.get(key);
    if (beside === undefined || entry === undefined || present.has(beside)) continue;
    const message = `${key} is only allowed together with ${beside}.`;
    report({
      code: codes.exclusive,
      offset: entry.start,
      path: [...path, key],
      message,
      remedy: 'Remove it.',
    });
  }
}
