// The index segment of one server: built when the server appears, dropped as a whole when it goes.
import { actionOf, type Actions } from './actions.js';
import type { ServerReader } from './reader.js';
import { type Field, type FieldTexts, fields, textsOf, type ToolText } from './tool-text.js';
import type { Vocabulary } from './vocabulary.js';

export interface Segment {
  readonly server: string;
  readonly ids: readonly string[];
  readonly names: readonly string[];
  /** The action kind of each tool, from its name. */
  readonly actions: readonly Actions[];
  /**
   * The start of each tool's terms, plus one entry for the end, then the terms: a term number and its count in each field
   * (three bits per field, in the order of `fields`). One array, because many servers have only one tool.
   */
  readonly cells: Uint32Array;
  /** Words per field, including those beyond the limit, because they still make a text long. */
  readonly lengths: Uint16Array;
}

/** Maximum words read per field. */
const wordsRead: Readonly<Record<Field, number>> = {
  server: 12,
  name: 16,
  title: 16,
  lead: 80,
  description: 120,
  parameters: 100,
  parameterTexts: 60,
  values: 60,
  hints: 200,
};
/** Characters examined per word: the usual length plus one. */
const lettersRead = 7;
/** Average length of a word with its separator, to estimate the number of unread words. */
const usualLetters = 6;
const nameFields: ReadonlySet<Field> = new Set(['server', 'name', 'title', 'parameters', 'hints']);

const lead = fields.indexOf('lead');
const description = fields.indexOf('description');

export function createSegment(server: string, unordered: readonly ToolText[], reader: ServerReader): Segment {
  const tools = unordered.toSorted((a, b) => compare(a.name, b.name) || compare(a.id, b.id));
  const cells: number[] = new Array<number>(tools.length + 1).fill(0);
  const lengths = new Uint16Array(tools.length * fields.length);
  tools.forEach((tool, at) => {
    cells[at] = cells.length;
    countTerms(textsOf(server, tool), reader, lengths.subarray(at * fields.length));
    reader.tally.drainInto(cells);
  });
  cells[tools.length] = cells.length;
  return {
    server,
    ids: tools.map(({ id }) => id),
    names: tools.map(({ name }) => name),
    actions: tools.map(({ name }) => actionOf(name)),
    cells: Uint32Array.from(cells),
    lengths,
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Releases the terms of a removed server. */
export function releaseSegment(segment: Segment, vocabulary: Vocabulary): void {
  const terms = new Set<number>();
  for (let from = segment.cells[0] ?? 0; from < segment.cells.length; from += 2)
    terms.add(segment.cells[from] ?? 0);
  for (const term of terms) vocabulary.release(term);
}

function countTerms(texts: FieldTexts, reader: ServerReader, lengths: Uint16Array): void {
  fields.forEach((field, at) => {
    const read = nameFields.has(field) ? reader.readName : reader.readProse;
    let length = 0;
    for (const text of texts[field]) {
      const left = Math.max(0, wordsRead[field] - length);
      const part = text.length > left * lettersRead ? text.slice(0, left * lettersRead) : text;
      length += read(part, at, left) + Math.ceil((text.length - part.length) / usualLetters);
    }
    lengths[at] = Math.min(length, 65_535);
  });
  // The length of the whole text also applies to its first sentence.
  lengths[lead] = lengths[description] = Math.min((lengths[lead] ?? 0) + (lengths[description] ?? 0), 65_535);
}
