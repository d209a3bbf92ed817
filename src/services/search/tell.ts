import type { FileMatches, FoundLine, TextFound, TextQuery } from '../../kernel/search-port.js';
import type { Collector } from './collect.js';
import type { SearchContext } from './context.js';
import type { Group } from './first-groups.js';
import type { Place } from './place.js';
import { nameOf } from './start.js';
import type { Item } from './text-items.js';
import type { Shown } from './window.js';

interface TellParts {
  readonly job: { readonly context: SearchContext; readonly query: TextQuery; readonly place: Place };
  readonly collector: Collector;
  /** What was asked for, as ripgrep told it. */
  readonly shown: readonly Shown<Item>[];
  /** The same groups, as far as they turned out to be true. */
  readonly proven: readonly Group<Item>[];
}

/** Puts what was found into the words of the port, and takes out of the totals what was not true. */
export function tellFiles(parts: TellParts): Pick<TextFound, 'files' | 'totalFiles' | 'totalMatches'> {
  const { job, collector, shown, proven } = parts;
  const { context, query, place } = job;
  const byPath = new Map(proven.map((group) => [group.path.toString('latin1'), group]));
  const files: FileMatches[] = [];
  let [totalFiles, totalMatches] = [collector.totals.files, collector.totals.matches];
  for (const { group, from, to } of shown) {
    const truth = byPath.get(group.path.toString('latin1'));
    totalMatches += matchesOf(truth) - matchesOf(group);
    if (truth === undefined) totalFiles -= 1;
    else files.push(fileOf(nameOf(context.roots, place, truth.path.toString()), truth.items.slice(from, to)));
  }
  return { files, totalFiles, ...(query.mode !== 'files' && { totalMatches }) };
}

function matchesOf(group: Group<Item> | undefined): number {
  const counts = (group?.items ?? []).map((item) => {
    if (item.kind === 'count') return item.count;
    return item.kind === 'line' && item.isMatch ? 1 : 0;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

function fileOf(path: string, items: readonly Item[]): FileMatches {
  const count = items.find((item) => item.kind === 'count')?.count;
  const isBinary = items.some((item) => item.kind === 'binary');
  const lines = items.flatMap((item) => (item.kind === 'line' ? [lineOf(item)] : []));
  return { path, isBinary, ...(count !== undefined && { count }), lines };
}

function lineOf({ line, text, isMatch, isCut }: Extract<Item, { kind: 'line' }>): FoundLine {
  // The carriage return belongs to the line end.
  return { line, text: text.toString().replace(/\r$/, ''), isMatch, isCut };
}
