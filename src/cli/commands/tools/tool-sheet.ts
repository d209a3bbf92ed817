import { asRecord } from '../../../lib/is-record.js';
import { printable, printableLines, shellWord } from '../../../config/index.js';
import type { Output } from '../../terminal/output.js';
import { argumentsOf, type Field, resultFieldsOf } from './tool-fields.js';
import { factsOf } from './tool-facts.js';
import type { Tool } from './with-tools.js';
import { readable, wrapped } from '../../terminal/wrap.js';

/** The line width and colors. */
type Page = Pick<Output, 'columns' | 'paint'>;

/** The details of a tool, for people to read. */
export function sheetLines(tool: Tool, page: Page): readonly string[] {
  const { description } = asRecord(tool.definition.value);
  const text = typeof description === 'string' ? printableLines(description.trim()) : '';
  const fields = argumentsOf(tool);
  return [
    headingOf(tool, page),
    '',
    ...factsOf(tool).map(([word, value]) => factLine(word, value, page)),
    ...(text === '' ? [] : ['', ...wrapped(text, readable(page.columns))]),
    ...sectionLines({ heading: 'Arguments', needed: 'required', fields }, page),
    ...sectionLines({ heading: 'Result', needed: 'always', fields: resultFieldsOf(tool) }, page),
    '',
    ...nextLines(tool, fields),
  ];
}

function headingOf({ name, definition }: Tool, { paint }: Page): string {
  const { title } = asRecord(definition.value);
  const bold = paint('bold', printable(name));
  return typeof title === 'string' && title !== name ? `${bold}  ${printable(title)}` : bold;
}

const factWidth = 8;

function factLine(word: string, value: string, { paint }: Page): string {
  const lead = word.length < factWidth ? word.padEnd(factWidth) : `${word}  `;
  return `${paint('dim', lead)}${printable(value)}`;
}

interface Section {
  readonly heading: string;
  /** The word for a field that is always present. */
  readonly needed: string;
  readonly fields: readonly Field[];
}

const widestName = 22;
const indent = 2;
const gap = 2;

/** Prints the fields, with names in the first column. */
function sectionLines({ heading, needed, fields }: Section, page: Page): readonly string[] {
  if (fields.length === 0) return [];
  const widest = fields.reduce((most, { name }) => Math.max(most, printable(name).length), 0);
  const column = indent + Math.min(widestName, widest) + gap;
  const lines = fields.flatMap((field) => {
    const name = ' '.repeat(indent) + printable(field.name);
    const [first = '', ...rest] = fieldLines(field, needed, page, column);
    const isWide = name.length + gap > column;
    const hung = (isWide ? [first, ...rest] : rest).map((line) => ' '.repeat(column) + line);
    return [isWide ? name : `${name.padEnd(column)}${first}`, ...hung];
  });
  return ['', page.paint('bold', heading), ...lines];
}

const narrowest = 30;

/** The type, description and aliases of a field. */
function fieldLines(
  { type, isRequired, about, spellings }: Field,
  needed: string,
  { columns, paint }: Page,
  column: number,
): readonly string[] {
  const width = Math.max(readable(columns) - column, narrowest);
  const dim = (text: string): readonly string[] => wrapped(text, width).map((line) => paint('dim', line));
  return [
    ...dim(isRequired ? `${type}, ${needed}` : type),
    ...(about === '' ? [] : wrapped(about, width)),
    ...(spellings.length === 0 ? [] : dim(`also: ${spellings.map(printable).join(', ')}`)),
  ];
}

function nextLines({ name, graph }: Tool, fields: readonly Field[]): readonly string[] {
  const example = fields.filter(({ isRequired }) => isRequired).map((field) => `${printable(field.name)}=…`);
  return [
    `Try: tidegate tools call ${[shellWord(name), ...example].join(' ')}`,
    ...(graph === undefined ? [] : [`     tidegate tools show ${shellWord(name)} --graph`]),
  ];
}
