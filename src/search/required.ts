import type { Language } from './language.js';
import { countIn } from './tally.js';
import { type Field, fields } from './tool-text.js';
import type { Place, View } from './view.js';
import type { Vocabulary } from './vocabulary.js';
import { splitWords } from './words.js';

const where: readonly Field[] = ['server', 'name', 'title', 'lead', 'description', 'hints'];
const places = where.map((field) => fields.indexOf(field));

/** Limit of required words, to bound the time of a search. */
const mostRequired = 32;

/** Whether a tool has each required word. A word that is a server name requires that server. */
export function requirement(
  required: readonly string[],
  view: View,
  parts: { readonly language: Language; readonly vocabulary: Vocabulary },
): (doc: number) => boolean {
  const names = new Map([...new Set(view.servers)].map((server) => [server, splitWords(server).join('')]));
  const terms = [...new Set(required)].slice(0, mostRequired);
  const tests = terms.map((term) => testOf(term, names, view, parts)).filter((test) => test !== undefined);
  return (doc) => tests.every((test) => test(doc));
}

function testOf(
  term: string,
  names: ReadonlyMap<string, string>,
  view: View,
  { language, vocabulary }: { readonly language: Language; readonly vocabulary: Vocabulary },
): ((doc: number) => boolean) | undefined {
  const words = splitWords(term);
  if (words.length === 0) return undefined;
  const joined = words.join('');
  const named = new Set([...names].flatMap(([server, name]) => (name === joined ? [server] : [])));
  if (named.size > 0) return (doc) => named.has(view.servers[doc] ?? '');
  const stems = words.map((word) => vocabulary.find(language.read(word).stem));
  return (doc) => {
    const place = view.places[doc];
    return place !== undefined && stems.every((stem) => stem !== undefined && has(place, stem));
  };
}

function has({ segment, at }: Place, term: number): boolean {
  const { cells } = segment;
  for (let from = cells[at] ?? 0; from < (cells[at + 1] ?? 0); from += 2) {
    if (cells[from] !== term) continue;
    const counts = cells[from + 1] ?? 0;
    return places.some((field) => countIn(counts, field) > 0);
  }
  return false;
}
