import type { SkippedFile } from '../../ports/search.js';
import { ToolFailure } from '../../core/index.js';
import type { Complaints } from './complaints.js';
import { lookInside, type Where } from './inside.js';
import { foldersOfLong } from './long-paths.js';
import { isOwn } from './own-files.js';
import type { RipgrepEnd } from './ripgrep.js';
import { namesBelow } from './start.js';

const failureCode = 2;

/**
 * Throws if ripgrep did not search, with a message that helps the caller fix the query. Unreadable files are
 * not a reason.
 */
export function refuse({ exitCode, complaints: { refusal } }: RipgrepEnd): void {
  if (exitCode !== failureCode || refusal === '') return;
  if (/^error parsing glob/.test(refusal)) throw mistake('invalid_glob', `The glob is invalid: ${refusal}`);
  const isPattern = /^(?:regex parse error|the literal|compiled regex|error: |regex)/i.test(refusal);
  if (!isPattern) {
    throw new ToolFailure('external', `ripgrep did not search: ${refusal}`, { reason: 'ripgrep_failed' });
  }
  throw mistake(
    'invalid_pattern',
    `The pattern is invalid: ${withoutFlags(refusal)}`,
    suggestionFor(refusal),
  );
}

/** The file type that ripgrep does not know, if that is why it did not search. */
export function unknownType({ exitCode, complaints }: RipgrepEnd): string | undefined {
  if (exitCode !== failureCode) return undefined;
  return /^unrecognized file type: (.*)$/s.exec(complaints.refusal)?.[1];
}

/**
 * Unreadable files, and paths too long to check. The names come from ripgrep, so they are shown only if they
 * are inside; for a path that is too long, a folder above it is shown.
 */
export function skippedOf(
  where: Where,
  { unread, totalUnread }: Complaints,
  long: readonly Buffer[] = [],
): { readonly skipped: readonly SkippedFile[]; readonly totalSkipped: number } {
  const below = unread.filter(({ path }) => path.startsWith('./'));
  const paths = new Map(below.map((file) => [file, Buffer.from(file.path.slice('./'.length))]));
  const looked = lookInside(where, [...paths.values()], () => true);
  const inside = new Set(looked.inside);
  const told = unread.filter((file) => {
    const path = paths.get(file);
    return path === undefined || (inside.has(path) && !isOwn(where, path));
  });
  const nameOf = namesBelow(where.roots, where.place);
  const skipped = told.map((file) => ({
    path: nameOf(paths.get(file)?.toString() ?? ''),
    reason: file.reason,
  }));
  const gone = unread.length - told.length - looked.tooLong.length;
  return {
    skipped: [...skipped, ...foldersOfLong(where, [...looked.tooLong, ...long])],
    totalSkipped: totalUnread - gone + long.length,
  };
}

export function mistake(reason: string, message: string, suggestion?: string): ToolFailure {
  return new ToolFailure('unsupported', message, {
    reason,
    suggestion: suggestion ?? 'Correct it as the message says and call again.',
  });
}

/** ripgrep suggests its own command line options, which the caller does not have. */
function withoutFlags(refusal: string): string {
  return refusal.replace(/\n+Consider enabling [\s\S]*$/, '');
}

function suggestionFor(refusal: string): string {
  if (refusal.includes('multiline')) return 'Set multiline to true to match across lines.';
  if (/look-around|backreferences/.test(refusal))
    return 'Search without lookaround and backreferences, and narrow the result afterwards.';
  return 'Correct the pattern, escape literal characters with a backslash, or set fixed_strings.';
}
