import { parse, stringify, TomlError } from 'smol-toml';
import { CannotEdit, type Change, type DocumentFormat } from './document.js';
import { type JsonObject, objectAt } from './json-value.js';
import { type TomlTable, tomlTables } from './toml-tables.js';

/** TOML, edited by whole tables; all other lines stay unchanged. */
export const tomlDocument: DocumentFormat = {
  name: 'TOML',
  parse(text) {
    try {
      return parse(text.replace(/^\ufeff/, '')) as JsonObject;
    } catch (error) {
      const line = error instanceof TomlError ? `line ${String(error.line)}` : 'the file';
      throw new SyntaxError(`${line}: invalid TOML`);
    }
  },
  splice,
  entryTexts: (text, section, names) =>
    ownTables(text, section, names).map(({ from, to }) => text.slice(from, to).trimEnd()),
  write: tableText,
};

function splice(text: string, { section, remove, add }: Change): string {
  const there = Object.keys(objectAt(tomlDocument.parse(text), section));
  const names = there.filter((name) => remove.includes(name) || name === add?.name);
  const tables = ownTables(text, section, names);
  const missing = names.filter((name) => !tables.some(({ path }) => path[section.length] === name));
  if (missing.length > 0) throw new CannotEdit('a server is not written as its own table');
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const added = add === undefined ? '' : tableText(section, add.name, add.entry).replaceAll('\n', end) + end;
  const [first] = tables;
  if (first === undefined) return appended(text, added, end);
  const rest = tables.slice(1).toReversed();
  const shorter = rest.reduce((now, { from, to }) => now.slice(0, from) + now.slice(to), text);
  return (
    shorter.slice(0, first.from) +
    spaced(added, text.slice(first.from, first.to), end) +
    shorter.slice(first.to)
  );
}

/** Keeps the empty line after the replaced table. */
function spaced(added: string, old: string, end: string): string {
  if (added === '') return '';
  return added + (/\r?\n(\s*\n)$/.test(old) ? end : '');
}

function appended(text: string, added: string, end: string): string {
  if (added === '') return text;
  const gap = text === '' ? '' : text.endsWith('\n') ? end : end + end;
  return text + gap + added;
}

function ownTables(text: string, section: readonly string[], names: readonly string[]): readonly TomlTable[] {
  return tomlTables(text).filter(
    ({ path, isArray }) =>
      !isArray && section.every((key, at) => path[at] === key) && names.includes(path[section.length] ?? ''),
  );
}

function tableText(section: readonly string[], name: string, entry: JsonObject): string {
  const keys = [...section, name].map(keyText).join('.');
  const plain = Object.entries(entry).filter(
    ([, value]) => typeof value !== 'object' || Array.isArray(value),
  );
  const inner = Object.entries(entry).filter(
    ([, value]) => typeof value === 'object' && !Array.isArray(value),
  );
  const tables = inner.map(([key, value]) => `\n[${keys}.${keyText(key)}]\n${stringify(value).trimEnd()}\n`);
  return `[${keys}]\n${stringify(Object.fromEntries(plain)).trimEnd()}\n${tables.join('')}`.trimEnd();
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}
