import type { FileMatches, FoundLine, TextFound, TextQuery } from '../../ports/search.js';
import type { Collector } from './collect.js';
import type { SearchContext } from './context.js';
import type { Group } from './first-groups.js';
import type { Place } from './place.js';
import { namesBelow } from './start.js';
import type { Item } from './text-items.js';
import type { Shown } from './window.js';

interface TellParts {
  readonly job: { readonly context: SearchContext; readonly query: TextQuery; readonly place: Place };
  readonly collector: Collector;
  /** The requested results, as ripgrep reported them. */
  readonly shown: readonly Shown<Item>[];
  /** The confirmed results of the same groups. */
  readonly proven: readonly Group<Item>[];
}

/** Converts the results to the port's types, and corrects the totals. */
export function tellFiles(parts: TellParts): Pick<TextFound, 'files' | 'totalFiles' | 'totalMatches'> {
  const { job, collector, shown, proven } = parts;
  const { context, query, place } = job;
  const nameOf = namesBelow(context.roots, place);
  // A group that was searched again keeps the same path object.
  const byPath = new Map(proven.map((group) => [group.path, group]));
  const files: FileMatches[] = [];
  let [totalFiles, totalMatches] = [collector.totals.files, collector.totals.matches];
  for (const { group, from, to } of shown) {
    const truth = byPath.get(group.path);
    totalMatches += matchesOf(truth) - matchesOf(group);
    if (truth === undefined) totalFiles -= 1;
    else files.push(fileOf(nameOf(truth.path.toString()), truth.items.slice(from, to)));
  }
  return { files, totalFiles, ...(query.mode !== 'files' && { totalMatches }) };
}

function matchesOf(group: Group<Item> | undefined): number {
  let matches = 0;
  for (const item of group?.items ?? []) {
    if (item.kind === 'count') matches += item.count;
    else if (item.kind === 'line' && item.isMatch) matches += 1;
  }
  return matches;
}

function fileOf(path: string, items: readonly Item[]): FileMatches {
  const lines: FoundLine[] = [];
  let count: number | undefined;
  let isBinary = false;
  for (const item of items) {
    if (item.kind === 'line') lines.push(lineOf(item));
    else if (item.kind === 'count') count = item.count;
    else if (item.kind === 'binary') isBinary = true;
  }
  return { path, isBinary, ...(count !== undefined && { count }), lines };
}

function lineOf({ line, text, isMatch, isCut }: Extract<Item, { kind: 'line' }>): FoundLine {
  // The carriage return is part of the line end.
  return { line, text: text.toString().replace(/\r$/, ''), isMatch, isCut };
}
