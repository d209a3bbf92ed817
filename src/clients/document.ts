import { type Json, canonical, isJsonObject, type JsonObject, objectAt } from './json-value.js';

/** A change to a section: entries to remove, and one to add in their place. */
export interface Change {
  readonly section: readonly string[];
  readonly remove: readonly string[];
  readonly add?: { readonly name: string; readonly entry: JsonObject };
}

/** A text format that can be parsed, and edited without touching the rest of the text. */
export interface DocumentFormat {
  readonly name: 'JSON' | 'TOML';
  /** Throws an error with the line number. The error must not quote the text, which may contain secrets. */
  parse(text: string): JsonObject;
  /** The changed text. Callers must parse it again to verify it. */
  splice(text: string, change: Change): string;
  /** The source text of these entries, for display. */
  entryTexts(text: string, section: readonly string[], names: readonly string[]): readonly string[];
  /** The source text of a new entry. */
  write(section: readonly string[], name: string, entry: JsonObject): string;
}

/** The text could not be changed without risking other changes. */
export class CannotEdit extends Error {
  override readonly name = 'CannotEdit';
}

/** Changes the text and verifies that nothing else changed. */
export function edit(format: DocumentFormat, text: string, change: Change): string {
  const wanted = canonical(changed(format.parse(text), change));
  let next: string;
  let found: string;
  try {
    next = format.splice(text, change);
    // An empty section equals a missing one.
    found = canonical(changed(format.parse(next), { section: change.section, remove: [] }));
  } catch (error) {
    throw new CannotEdit(`its format cannot be changed safely (${reason(error)})`);
  }
  if (found !== wanted) throw new CannotEdit('the edit would have changed something else');
  return next;
}

function reason(error: unknown): string {
  return error instanceof CannotEdit || error instanceof SyntaxError ? error.message : 'it cannot be parsed';
}

/** The expected value, computed without the text. */
function changed(root: JsonObject, { section, remove, add }: Change): JsonObject {
  const servers = Object.entries(objectAt(root, section)).filter(([name]) => !remove.includes(name));
  const kept = servers.filter(([name]) => name !== add?.name);
  const next = Object.fromEntries(add === undefined ? kept : [...kept, [add.name, add.entry] as const]);
  return put(root, section, next);
}

function put(root: Json, [key, ...rest]: readonly string[], value: JsonObject): JsonObject {
  if (key === undefined) return value;
  const own = isJsonObject(root) ? root : {};
  const inner = Object.hasOwn(own, key) ? own[key] : undefined;
  const entries = Object.entries(own).filter(([name]) => name !== key);
  return Object.fromEntries([...entries, [key, put(inner, rest, value)]]);
}
