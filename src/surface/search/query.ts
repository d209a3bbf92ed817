/** The longest query that is read, and how many tools one `select:` may name. */
export const queryLimits = { characters: 2000, names: 25 } as const;

/** What somebody asked of the search: nothing, tools by name, or tools for a need. */
export type Query =
  | { readonly kind: 'empty' }
  | { readonly kind: 'select'; readonly names: readonly string[] }
  | Need
  | { readonly kind: 'invalid'; readonly reason: InvalidQuery };

export interface Need {
  readonly kind: 'need';
  /** The query without the marks of its required words. */
  readonly text: string;
  /** Words that a tool must have in its server, name or description, as they were written. */
  readonly required: readonly string[];
}

export type InvalidQuery = 'too_long' | 'no_names' | 'too_many_names';

const selection = /^\s*select\s*:/i;
const required = /(^|\s)\+(?=[\p{L}\p{N}])(\S+)/gu;

/** Reads a query: `select:a,b`, `+must` among plain words, plain words, or nothing. */
export function parseQuery(text: string): Query {
  if (text.length > queryLimits.characters) return { kind: 'invalid', reason: 'too_long' };
  if (selection.test(text)) return parseSelection(text.replace(selection, ''));
  if (text.trim() === '') return { kind: 'empty' };
  return {
    kind: 'need',
    text: text.replace(required, '$1$2').trim(),
    required: Array.from(text.matchAll(required), ([, , term]) => term ?? ''),
  };
}

function parseSelection(list: string): Query {
  const names = [...new Set(list.split(/[,\s]+/).filter((name) => name !== ''))];
  if (names.length === 0) return { kind: 'invalid', reason: 'no_names' };
  if (names.length > queryLimits.names) return { kind: 'invalid', reason: 'too_many_names' };
  return { kind: 'select', names };
}
