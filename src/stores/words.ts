// The texts that every store can hold, and the order in which all stores return tuples.
import type { GrantKey, GrantTuple, GrantWrite } from '../access/ports/index.js';

const longestText = 4096;
/** Fits into a PostgreSQL index. */
const longestName = 256;
// NUL ends a text in SQLite and is invalid in PostgreSQL. A lone surrogate becomes U+FFFD in both, so two
// names would become one.
const unstorable = /\0|\p{Surrogate}/u;

const names: ReadonlySet<string> = new Set(['zone', 'id', 'hash']);

/** Throws if a text could not be read back unchanged. */
export function requireStorable(texts: Readonly<Record<string, string | undefined>>): void {
  for (const [what, text] of Object.entries(texts)) {
    if (text === undefined) continue;
    const longest = names.has(what) ? longestName : longestText;
    if (text.length > longest) throw new TypeError(`${what} is longer than ${longest} characters`);
    if (unstorable.test(text)) throw new TypeError(`${what} contains a character that cannot be stored`);
  }
}

export function requireStorableWrite(change: GrantWrite): void {
  const { zone, removeMatching = [], remove = [], add = [], record } = change;
  requireStorable({ zone, principal: record.principal });
  for (const { user, relation, object, objectType } of removeMatching)
    requireStorable({ user, relation, object, objectType });
  for (const { user, relation, object } of remove) requireStorable({ user, relation, object });
  for (const { user, relation, object, condition } of add)
    requireStorable({ user, relation, object, condition: condition?.name });
}

/** A map key for user, relation and object. */
export function keyOf({ user, relation, object }: GrantKey): string {
  return JSON.stringify([object, relation, user]);
}

/** By object, relation, user. */
export function compareKeys(one: GrantKey, other: GrantKey): number {
  return (
    compareTexts(one.object, other.object) ||
    compareTexts(one.relation, other.relation) ||
    compareTexts(one.user, other.user)
  );
}

/** By code point, as databases compare UTF-8 bytes; `<` compares UTF-16 units. */
function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  const end = Math.min(one.length, other.length);
  for (let i = 0; i < end; i += 1) {
    const [left, right] = [one.charCodeAt(i), other.charCodeAt(i)];
    if (left !== right) return rank(left) - rank(right);
  }
  return one.length - other.length;
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** The key without the other fields. */
export function onlyKey({ user, relation, object }: GrantTuple): GrantKey {
  return { user, relation, object };
}
