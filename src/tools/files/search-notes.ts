import type { FilesFound, SearchStop, TextFound } from '../../kernel/search-port.js';
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
  limit: '(The search ended when it had enough; totals are what was seen until then.)',
  time: '(The search was ended by its time limit; narrow it to see the rest.)',
  memory: '(The search was ended because it took too much memory; leave out very large files.)',
};

export function stoppedText(stopped: SearchStop | undefined): readonly string[] {
  return stopped === undefined ? [] : [stops[stopped]];
}
