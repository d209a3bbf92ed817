import { asRecord } from '../../../lib/is-record.js';
import { nearest, printable } from '../../../config/index.js';
import { inputSchemaOf } from './tool-fields.js';
import type { Tool } from './with-tools.js';

type JsonRecord = Readonly<Record<string, unknown>>;

interface Unknown {
  /** Its path, such as `edits[0].replace_al`. */
  readonly at: string;
  readonly near: string | undefined;
}

const mostShown = 10;
/** Further names are not checked. */
const mostLookedAt = 1000;

/** One warning per argument that a server or plugin does not declare. Built-in tools report them themselves. */
export function unknownArgumentLines(tool: Tool, argumentsText: string): readonly string[] {
  if (!/^(server|plugin):/.test(tool.source)) return [];
  const unknown = unknownIn(asRecord(JSON.parse(argumentsText)), inputSchemaOf(tool), spellingsOf(tool));
  const lines = unknown.slice(0, mostShown).map(({ at, near }) => {
    const guess = near === undefined ? '' : ` Did you mean "${printable(near)}"?`;
    return `warning: ${printable(tool.name)} has no argument "${printable(at)}". Sent anyway.${guess}`;
  });
  const more = unknown.length - lines.length;
  return more === 0 ? lines : [...lines, `warning: ${String(more)} more unknown arguments.`];
}

/** Aliases and the names they stand for. */
function spellingsOf({ aliases = {} }: Tool): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(aliases).flatMap(([name, spellings]) => spellings.map((spelling) => [spelling, name])),
  );
}

const noSpellings: ReadonlyMap<string, string> = new Map();

function unknownIn(
  given: JsonRecord,
  schema: JsonRecord,
  spellings: ReadonlyMap<string, string>,
  at = '',
): readonly Unknown[] {
  const properties = asRecord(schema['properties']);
  const names = Object.keys(properties);
  // A schema without names accepts all of them. If it accepts additional names, only report likely typos.
  if (names.length === 0) return [];
  const isOpen = takesOthers(schema);
  return Object.entries(given)
    .slice(0, mostLookedAt)
    .flatMap(([key, value]) => {
      const name = spellings.get(key) ?? key;
      if (Object.hasOwn(properties, name)) return unknownWithin(value, asRecord(properties[name]), at + key);
      const near = nearest(key, [...names, ...spellings.keys()]);
      if (isOpen && near === undefined) return [];
      return [{ at: at + key, near: near === undefined ? undefined : (spellings.get(near) ?? near) }];
    });
}

function takesOthers({ additionalProperties, patternProperties }: JsonRecord): boolean {
  return patternProperties !== undefined || (additionalProperties ?? false) !== false;
}

function unknownWithin(value: unknown, schema: JsonRecord, at: string): readonly Unknown[] {
  if (!Array.isArray(value)) return unknownIn(asRecord(value), schema, noSpellings, `${at}.`);
  const items = asRecord(schema['items']);
  return value.flatMap((item, index) => unknownWithin(item, items, `${at}[${String(index)}]`));
}
