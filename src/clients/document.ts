import { type Json, canonical, isJsonObject, type JsonObject, objectAt } from './json-value.js';

/** What is to become of a section: entries that go, and one that comes in their place. */
export interface Change {
  readonly section: readonly string[];
  readonly remove: readonly string[];
  readonly add?: { readonly name: string; readonly entry: JsonObject };
}

/** A text with structure that can be read, and changed without touching the rest of it. */
export interface DocumentFormat {
  readonly name: 'JSON' | 'TOML';
  /** Throws an error that says the place, and repeats nothing of the text. */
  parse(text: string): JsonObject;
  /** The text with the change. Its result is not believed before it was read again. */
  splice(text: string, change: Change): string;
  /** The entries of the section as the text has them, for showing. */
  entryTexts(text: string, section: readonly string[], names: readonly string[]): readonly string[];
  /** An entry as it would be written. */
  write(section: readonly string[], name: string, entry: JsonObject): string;
}

/** The text could not be changed in a way that is certain to change nothing else. */
export class CannotEdit extends Error {
  override readonly name = 'CannotEdit';
}

/** Changes the text, and proves that nothing but the change happened. */
export function edit(format: DocumentFormat, text: string, change: Change): string {
  const wanted = canonical(changed(format.parse(text), change));
  let next: string;
  let found: string;
  try {
    next = format.splice(text, change);
    // A section without entries says the same as none.
    found = canonical(changed(format.parse(next), { section: change.section, remove: [] }));
  } catch (error) {
    throw new CannotEdit(`it is written in a way that cannot be changed safely (${reason(error)})`);
  }
  if (found !== wanted) throw new CannotEdit('the change would have changed something else too');
  return next;
}

function reason(error: unknown): string {
  return error instanceof CannotEdit || error instanceof SyntaxError ? error.message : 'it cannot be read';
}

/** The value after the change, made without the text. */
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
