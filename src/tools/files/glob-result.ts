import type { FilesFound } from '../../ports/search.js';
import { skippedData, skippedText, stoppedText } from './search-notes.js';
import { shownName } from './shown-name.js';

export interface GlobData {
  files: string[];
  total_files: number;
  truncated: boolean;
  stopped?: 'limit' | 'time' | 'memory';
  skipped?: { path: string; reason: string }[];
  total_skipped?: number;
}

/** One path per line, like the built-in tools of agents; notes about missing results come last. */
export function globResult(found: FilesFound, hasIgnored: boolean): { data: GlobData; text: string } {
  const { files, totalFiles, isTruncated, stopped } = found;
  const notes = [...endText(found), ...skippedText(found)];
  const hint = hasIgnored ? '' : ' Ignored files were skipped; set include_ignored to include them.';
  const lines = files.length === 0 ? [`No files found.${hint}`] : files.map(shownName);
  return {
    data: {
      files: [...files],
      total_files: totalFiles,
      truncated: isTruncated,
      ...(stopped !== undefined && { stopped }),
      ...skippedData(found),
    },
    text: [...lines, ...notes].join('\n'),
  };
}

function endText({ files, totalFiles, isTruncated, stopped }: FilesFound): readonly string[] {
  if (!isTruncated) return [];
  const of = stopped === undefined ? `of ${totalFiles}` : `of at least ${totalFiles}`;
  const shown = `(${files.length} ${of} files shown. Use a narrower pattern or path, or a higher limit.)`;
  return [shown, ...stoppedText(stopped)];
}
