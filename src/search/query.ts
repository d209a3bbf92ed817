/** Maximum query length, and maximum number of names in `select:`. */
export const queryLimits = { characters: 2000, names: 25 } as const;

/** A parsed query: empty, tools by name, or a text query. */
export type Query =
  | { readonly kind: 'empty' }
  | { readonly kind: 'select'; readonly names: readonly string[] }
  | Need
  | { readonly kind: 'invalid'; readonly reason: InvalidQuery };

export interface Need {
  readonly kind: 'need';
  /** The query without the `+` of required words. */
  readonly text: string;
  /** Words, as written, that must occur in a tool's server, name or description. */
  readonly required: readonly string[];
}

export type InvalidQuery = 'too_long' | 'no_names' | 'too_many_names';

const selection = /^\s*select\s*:/i;
const required = /(^|\s)\+(?=[\p{L}\p{N}])(\S+)/gu;

/** Parses a query: `select:a,b`, plain words with optional `+must` words, or nothing. */
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
