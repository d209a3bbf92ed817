import { textArguments } from './arguments.js';
import { createCollector } from './collect.js';
import type { Group } from './first-groups.js';
import { type InsideFile, openInside, tooLong } from './inside.js';
import { runText, type TextJob } from './run-text.js';
import type { Item } from './text-items.js';

/** How many files to hold open at a time. */
const batchSize = 64;

export interface Confirmed {
  /** Keyed by the path as latin1; files without a match are missing. */
  readonly items: ReadonlyMap<string, readonly Item[]>;
  /** Files that cannot be checked, because their paths are too long. */
  readonly tooLong: readonly Buffer[];
}

/**
 * Searches files again, each opened by us and checked to be inside before ripgrep gets it. The result is
 * about files inside, even if names change meanwhile.
 */
export async function confirm(job: TextJob, doubtful: readonly Group<Item>[]): Promise<Confirmed> {
  const confirmed = new Map<string, readonly Item[]>();
  const long: Buffer[] = [];
  for (let from = 0; from < doubtful.length; from += batchSize) {
    for (const { path, items } of await confirmBatch(job, doubtful.slice(from, from + batchSize), long))
      confirmed.set(path.toString('latin1'), items);
  }
  return { items: confirmed, tooLong: long };
}

async function confirmBatch(
  job: TextJob,
  groups: readonly Group<Item>[],
  long: Buffer[],
): Promise<readonly Group<Item>[]> {
  const { context, query, place } = job;
  const opened = new Map<string, { readonly file: InsideFile; readonly path: Buffer }>();
  try {
    for (const { path } of groups) {
      const file = openInside({ roots: context.roots, place }, path);
      if (file === tooLong) long.push(path);
      else if (file !== undefined) opened.set(file.forChild, { file, path });
    }
    if (opened.size === 0) return [];
    const perFile = Math.max(...groups.map(({ items }) => items.length));
    const enough = query.mode === 'lines' ? [`--max-count=${perFile}`] : [];
    const admit = (printed: Buffer) => opened.get(printed.toString())?.path;
    const { collector } = await runText(job, {
      args: [...textArguments(query, { includeIgnored: true }), ...enough, '--', ...opened.keys()],
      collect: () => createCollector({ mode: query.mode, wanted: perFile * groups.length, perFile, admit }),
    });
    return collector.groups;
  } finally {
    for (const { file } of opened.values()) file.close();
  }
}
