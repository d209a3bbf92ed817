// Shared by all profile readers: problem reports, limits and entry parsing.
import { hasWildcard, type IsBuiltin, parseEntry } from './entry.js';
import type { Entry, PlacedEntry, ProfilePath, ProfileProblem, ProfileProblemCode } from './profile.js';

/** The known word that a typo most likely means. */
export type Nearest = (word: string, known: readonly string[]) => string | undefined;

export interface Reading {
  readonly problems: readonly ProfileProblem[];
  report(code: ProfileProblemCode, path: ProfilePath, message: string, remedy?: string): void;
  /** A "Did you mean" remedy, if a known word is close enough. */
  didYouMean(word: string, known: Iterable<string>): string | undefined;
  entries(texts: readonly string[], effect: 'call' | 'see', path: ProfilePath): readonly PlacedEntry[];
}

/** Limits of a profiles file. */
export const most = { profiles: 500, principals: 1_000, entries: 5_000, wildcards: 1_000, problems: 100 };

export function createReading(isBuiltin: IsBuiltin, nearest: Nearest = () => undefined): Reading {
  const problems: ProfileProblem[] = [];
  const wildcards = new Set<string>();
  let count = 0;

  const report: Reading['report'] = (code, path, message, remedy) => {
    if (problems.length >= most.problems) return;
    problems.push({ code, severity: 'error', path, message, ...(remedy !== undefined && { remedy }) });
  };

  function isTooMuch(texts: readonly string[], path: ProfilePath): boolean {
    const before = count;
    count += texts.length;
    if (count <= most.entries) return false;
    if (before <= most.entries)
      report('profiles.too_many', path, `Too many entries: the maximum is ${String(most.entries)}.`);
    return true;
  }

  function isTooWild({ target }: Entry, path: ProfilePath): boolean {
    if (target.kind !== 'glob' || !hasWildcard(target.pattern) || wildcards.has(target.pattern)) return false;
    wildcards.add(target.pattern);
    if (wildcards.size === most.wildcards + 1)
      report('profiles.too_many', path, `Too many patterns: the maximum is ${String(most.wildcards)}.`);
    return wildcards.size > most.wildcards;
  }

  return {
    problems,
    report,
    didYouMean(word, known) {
      const near = nearest(word, [...known]);
      return near === undefined ? undefined : `Did you mean \`${near}\`?`;
    },
    entries(texts, effect, path) {
      if (isTooMuch(texts, path)) return [];
      return texts.flatMap((text, index) => {
        const place = [...path, index];
        const entry = parseEntry(text, effect, isBuiltin);
        if ('says' in entry) report('profiles.bad_entry', place, `${quoted(text)} ${entry.says}.`);
        else if (!isTooWild(entry, place)) return [{ ...entry, path: place }];
        return [];
      });
    },
  };
}

/** Quotes text of the file for a message. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}
