import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { printable, type Risk, type WrittenKey, type WrittenValue } from '../../../config/index.js';
import { withoutUserinfo } from '../../terminal/without-userinfo.js';

/** The groups of the trust screen, most dangerous first. `defineClassified` sets the group of each key. */
const groups: Readonly<Record<Exclude<Risk, 'none'>, string>> = {
  starts: 'Starts programs',
  files: 'Reads and writes files',
  sends: 'Sends data out',
  secret: 'Uses secrets and environment variables',
  defence: 'Changes a security setting',
  access: 'Decides who may do what',
};

export interface RiskPlace {
  readonly folder: string;
  /** Servers that the file disables, by key. */
  readonly disabled?: ReadonlySet<string>;
}

/** The keys of a file, grouped by risk. */
export function riskGroups(keys: readonly WrittenKey[], place: RiskPlace): readonly string[] {
  const shown = keys.filter(isShown);
  return Object.entries(groups).flatMap(([risk, title]) => {
    const lines = groupLines(
      shown.filter((key) => key.risk === risk),
      place,
    );
    if (risk === 'secret') lines.push(...referenceLines(keys));
    return lines.length === 0 ? [] : ['', title, ...lines];
  });
}

function isShown({ risk, isDefault }: WrittenKey): boolean {
  return risk !== 'none' && !isDefault;
}

function groupLines(keys: readonly WrittenKey[], about: RiskPlace): string[] {
  const holders = [...new Set(keys.map(({ holder }) => holder))];
  return holders.flatMap((holder) => {
    const own = keys.filter((key) => key.holder === holder);
    const indent = holder === '' ? '  ' : '    ';
    const width = Math.max(...own.map(({ name }) => name.length));
    const head = `  ${printable(holder)}${about.disabled?.has(holder) === true ? ' (disabled)' : ''}`;
    const lines = own.flatMap((key) => keyLines(key, { indent, width, folder: about.folder }));
    return holder === '' ? lines : [head, ...lines];
  });
}

interface Look {
  readonly indent: string;
  readonly width: number;
  readonly folder: string;
}

/** One line per value, to show where each one ends. */
function keyLines(key: WrittenKey, { indent, width, folder }: Look): readonly string[] {
  if (key.values.length === 0) return [`${indent}${key.name.padEnd(width)}  (empty)`];
  const lines = key.values.map((value, index) => {
    const label = (index === 0 ? key.name : '').padEnd(width);
    const name = value.name === undefined ? '' : `${printable(value.name)}=`;
    return `${indent}${label}  ${name}${valueText(key, value)}${placeText(key, value, folder)}`;
  });
  const { riskNote } = key.field;
  return riskNote === undefined ? lines : [...lines, `${indent}${''.padEnd(width)}  ${riskNote}`];
}

/** Quoted, to show where a value starts and ends. */
function quoted(text: string): string {
  return printable(JSON.stringify(text));
}

function valueText(key: WrittenKey, { text, references }: WrittenValue): string {
  if (isSecretSpot(key) && references.length === 0)
    return `(${String(text.length)} characters, plain text in the file)`;
  return quoted(spelled(key, text));
}

/** A database URL may contain a password. */
function spelled({ field }: WrittenKey, text: string): string {
  return field.kind === 'text' && field.format === 'database' ? withoutUserinfo(text) : text;
}

/** Plain-text values may be passwords, and the screen may be shared. */
function isSecretSpot({ risk, name }: WrittenKey): boolean {
  return risk === 'secret' || name === 'headers';
}

/** The absolute path of a relative one. Values with references cannot be resolved here. */
function placeText({ field }: WrittenKey, { text, references }: WrittenValue, folder: string): string {
  const leaf = field.kind === 'list' ? field.of : field;
  const isPath =
    leaf.kind === 'text' && (leaf.format === 'path' || (leaf.format === 'command' && text.includes('/')));
  if (!isPath || references.length > 0) return '';
  const place = /^~(?=\/|$)/.test(text) ? join(homedir(), text.slice(1)) : resolve(folder, text);
  return place === text ? '' : `  (${printable(place)})`;
}

function hasReference({ values }: WrittenKey): boolean {
  return values.some(({ references }) => references.length > 0);
}

/** Each name in `${…}`, with the key that uses it and the address or program that gets the value. */
function referenceLines(keys: readonly WrittenKey[]): readonly string[] {
  const uses = keys.flatMap((key) =>
    key.values.flatMap(({ name, references }) =>
      references.map((reference) => ({ reference, text: useText(key, name) })),
    ),
  );
  const names = [...new Set(uses.map(({ reference }) => reference))];
  return names.flatMap((name) => [
    `  \${${name}}`,
    ...uses.filter(({ reference }) => reference === name).map(({ text }) => `    ${text}`),
  ]);
}

function useText(key: WrittenKey, entry: string | undefined): string {
  const path = [key.holder, key.name, entry].filter((part) => part !== undefined && part !== '').join('.');
  const { target } = key;
  return `in ${printable(path)}${target === undefined ? '' : `, for ${quoted(withoutUserinfo(target))}`}`;
}

/** The shown keys, as JSON. */
export function plainKeys(keys: readonly WrittenKey[]): readonly Readonly<Record<string, unknown>>[] {
  return keys.filter((key) => isShown(key) || hasReference(key)).map(plainKey);
}

function plainKey(key: WrittenKey): Readonly<Record<string, unknown>> {
  const { holder, name, risk, values, target } = key;
  return {
    key: holder === '' ? name : `${holder}.${name}`,
    risk,
    values: values.map((value) => ({
      ...(value.name !== undefined && { name: value.name }),
      ...(isSecretSpot(key) && value.references.length === 0
        ? { characters: value.text.length }
        : { text: spelled(key, value.text) }),
      references: value.references,
    })),
    ...(target !== undefined && hasReference(key) && { target: withoutUserinfo(target) }),
  };
}
