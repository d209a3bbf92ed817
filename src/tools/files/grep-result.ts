import type { FileMatches, FoundLine, TextFound, TextQuery } from '../../ports/search.js';
import { skippedData, skippedText, stoppedText } from './search-notes.js';
import { shownName } from './shown-name.js';

export interface GrepData {
  output_mode: OutputMode;
  matches?: { file: string; line: number; text: string; context?: true; cut?: true }[];
  files?: string[];
  counts?: { file: string; count: number }[];
  binary_files?: string[];
  total_files: number;
  total_matches?: number;
  truncated: boolean;
  next_offset?: number;
  stopped?: 'limit' | 'time' | 'memory';
  skipped?: { path: string; reason: string }[];
  total_skipped?: number;
}

type OutputMode = 'content' | 'files_with_matches' | 'count';

export interface GrepQuery extends TextQuery {
  readonly outputMode: OutputMode;
  readonly hasNumbers: boolean;
}

/** The lines as grep prints them; notes about missing results come last. */
export function grepResult(found: TextFound, query: GrepQuery): { data: GrepData; text: string } {
  const { files, totalFiles, totalMatches, isTruncated, stopped } = found;
  const binary = files.filter(({ isBinary }) => isBinary).map(({ path }) => path);
  const next = nextOffset(found, query);
  const data: GrepData = {
    output_mode: query.outputMode,
    ...listed(files, query.outputMode),
    ...(binary.length > 0 && { binary_files: binary }),
    total_files: totalFiles,
    ...(totalMatches !== undefined && { total_matches: totalMatches }),
    truncated: isTruncated,
    ...(next !== undefined && { next_offset: next }),
    ...(stopped !== undefined && { stopped }),
    ...skippedData(found),
  };
  const body = files.length === 0 ? [noneText(query)] : bodyText(files, query);
  return { data, text: [...body, ...endText(found, query, next), ...skippedText(found)].join('\n') };
}

function listed(
  files: readonly FileMatches[],
  mode: OutputMode,
): Pick<GrepData, 'matches' | 'files' | 'counts'> {
  if (mode === 'files_with_matches') return { files: files.map(({ path }) => path) };
  if (mode === 'count') return { counts: files.map(({ path, count = 0 }) => ({ file: path, count })) };
  return {
    matches: files.flatMap(({ path, lines }) =>
      lines.map(({ line, text, isMatch, isCut }) => ({
        file: path,
        line,
        text,
        ...(!isMatch && { context: true as const }),
        ...(isCut && { cut: true as const }),
      })),
    ),
  };
}

/** In content mode the unit is a line, and the note about a binary file counts as one. */
function shownItems({ files }: TextFound, { outputMode }: GrepQuery): number {
  if (outputMode !== 'content') return files.length;
  return files.reduce((sum, { lines, isBinary }) => sum + lines.length + (isBinary ? 1 : 0), 0);
}

function nextOffset(found: TextFound, query: GrepQuery): number | undefined {
  const isFull = shownItems(found, query) > 0;
  return found.isTruncated && isFull ? query.offset + query.limit : undefined;
}

function bodyText(files: readonly FileMatches[], query: GrepQuery): readonly string[] {
  const { outputMode } = query;
  if (outputMode === 'files_with_matches') return files.map(({ path }) => shownName(path));
  if (outputMode === 'count') return files.map(({ path, count = 0 }) => `${shownName(path)}:${count}`);
  return files.flatMap((file, at) => fileText(file, query, at === 0));
}

function fileText({ path, lines, isBinary }: FileMatches, query: GrepQuery, isFirst: boolean): string[] {
  const name = shownName(path);
  const hasContext = query.before > 0 || query.after > 0;
  const texts = lines.flatMap((line, at) => {
    const previous = lines[at - 1];
    const isApart = previous === undefined ? !isFirst : line.line > previous.line + 1;
    return [...(hasContext && isApart ? ['--'] : []), lineText(name, line, query.hasNumbers)];
  });
  return isBinary ? [...texts, `Binary file ${name} matches`] : texts;
}

function lineText(name: string, { line, text, isMatch, isCut }: FoundLine, hasNumbers: boolean): string {
  const mark = isMatch ? ':' : '-';
  return `${name}${mark}${hasNumbers ? `${line}${mark}` : ''}${text}${isCut ? '… [cut]' : ''}`;
}

function noneText({ offset, includeIgnored, isMultiline }: GrepQuery): string {
  if (offset > 0) return 'No more matches.';
  const hints = [
    ...(includeIgnored ? [] : ['ignored files were skipped (see include_ignored)']),
    ...(isMultiline ? [] : ['matches across lines were not searched (see multiline)']),
  ];
  return `No matches found.${hints.length === 0 ? '' : ` Note: ${hints.join('; ')}.`}`;
}

function endText(found: TextFound, query: GrepQuery, next: number | undefined): readonly string[] {
  const { files, totalFiles, totalMatches, isTruncated, stopped } = found;
  if (files.length === 0) return stoppedText(stopped);
  const least = stopped === undefined ? '' : 'at least ';
  const matches = totalMatches === undefined ? '' : `${plural(totalMatches, 'matching line')} in `;
  const total = `${least}${matches}${plural(totalFiles, 'file')}`;
  if (!isTruncated && query.outputMode === 'content') return [];
  const more = next === undefined ? '' : ` Continue with offset: ${next}, or narrow the search.`;
  return [
    isTruncated ? `(Found ${total}; not all shown.${more})` : `(Found ${total}.)`,
    ...stoppedText(stopped),
  ];
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
