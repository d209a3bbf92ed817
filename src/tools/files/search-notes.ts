import type { FilesFound, SearchStop, TextFound } from '../../ports/search.js';
import { shownName } from './shown-name.js';

type Found = Pick<FilesFound | TextFound, 'skipped' | 'totalSkipped'>;

export interface SkippedData {
  skipped?: { path: string; reason: string }[];
  total_skipped?: number;
}

export function skippedData({ skipped, totalSkipped }: Found): SkippedData {
  if (totalSkipped === 0) return {};
  return { skipped: skipped.map(({ path, reason }) => ({ path, reason })), total_skipped: totalSkipped };
}

export function skippedText({ skipped, totalSkipped }: Found): readonly string[] {
  if (totalSkipped === 0) return [];
  const lines = skipped.map(({ path, reason }) => `  ${shownName(path)}: ${shownName(reason)}`);
  return [`(${totalSkipped} could not be read:)`, ...lines];
}

const stops: Readonly<Record<SearchStop, string>> = {
  limit: '(The search stopped at its limit; totals cover only what was seen so far.)',
  time: '(The search ran out of time; narrow it to see the rest.)',
  memory: '(The search used too much memory; exclude very large files.)',
};

export function stoppedText(stopped: SearchStop | undefined): readonly string[] {
  return stopped === undefined ? [] : [stops[stopped]];
}
