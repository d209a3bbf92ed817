import type { BinaryFile, FilePage, ImageFile, TextPage } from '../../ports/files.js';
import type { ContentBlock } from '../../tool/index.js';
import { shownName } from './shown-name.js';

export interface PageData {
  file_path: string;
  kind: FilePage['kind'];
  content: string;
  bytes: number;
  truncated: boolean;
  start_line?: number;
  end_line?: number;
  total_lines?: number;
  next_offset?: number;
  encoding?: TextPage['encoding'];
  bom?: boolean;
  line_ending?: TextPage['lineEnding'];
  notes?: string[];
  media_type?: string;
  width?: number;
  height?: number;
  first_bytes?: string;
}

export interface PageResult {
  readonly data: PageData;
  readonly text: string;
  readonly content?: readonly ContentBlock[];
}

/** Numbered lines, then one line about the file, like the built-in tools of agents. */
export function pageResult(page: FilePage): PageResult {
  if (page.kind === 'image') return imageResult(page);
  return page.kind === 'binary' ? binaryResult(page) : textResult(page);
}

function textResult(page: TextPage): PageResult {
  const { path, bytes, kind, lines, totalLines, nextOffset, encoding, hasBom, lineEnding, notes } = page;
  const content = lines.map(
    ({ number, text, isCut }) => `${numbered(number)}\t${text}${isCut ? '… [cut]' : ''}`,
  );
  const first = lines[0]?.number;
  const last = lines.at(-1)?.number;
  const data: PageData = {
    file_path: path,
    kind,
    content: content.join('\n'),
    bytes,
    truncated: nextOffset !== undefined || lines.some(({ isCut }) => isCut),
    encoding,
    bom: hasBom,
    line_ending: lineEnding,
    ...(first !== undefined && { start_line: first }),
    ...(last !== undefined && { end_line: last }),
    ...(totalLines !== undefined && { total_lines: totalLines }),
    ...(nextOffset !== undefined && { next_offset: nextOffset }),
    ...(notes.length > 0 && { notes: [...notes] }),
  };
  return { data, text: [...content, footerOf(data)].join('\n') };
}

function numbered(line: number): string {
  return String(line).padStart(6);
}

function footerOf(data: PageData): string {
  const {
    bytes,
    start_line,
    end_line,
    total_lines,
    next_offset,
    encoding,
    bom,
    line_ending,
    notes = [],
  } = data;
  const lines =
    start_line === undefined
      ? 'no lines'
      : `lines ${start_line} to ${end_line ?? start_line}${total_lines === undefined ? '' : ` of ${total_lines}`}`;
  const form = `${encoding ?? ''}${bom ? ' with BOM' : ''}, line endings ${line_ending ?? ''}`;
  const more = next_offset === undefined ? [] : [`Continue with offset=${next_offset}.`];
  return (
    [`[${shownName(data.file_path)}: ${lines}, ${bytes} bytes, ${form}.`, ...more, ...notes].join(' ') + ']'
  );
}

/** Several agents pass only the structured data to their model, and it cannot carry an image. */
const attached =
  'The image is attached to this result. If you cannot see it, your client passes on text only.';

function imageResult({ path, bytes, mediaType, width, height, data }: ImageFile): PageResult {
  const size = width === undefined || height === undefined ? '' : `, ${width} x ${height} pixels`;
  const about = `${shownName(path)} is an image: ${mediaType}${size}, ${bytes} bytes.`;
  const content = `${about} ${data === undefined ? 'It is too large to show.' : attached}`;
  return {
    data: {
      file_path: path,
      kind: 'image',
      content,
      bytes,
      truncated: data === undefined,
      media_type: mediaType,
      ...(width !== undefined && { width }),
      ...(height !== undefined && { height }),
    },
    text: content,
    ...(data !== undefined && { content: [{ type: 'image', data, mimeType: mediaType }] }),
  };
}

function binaryResult({ path, bytes, mediaType, firstBytes }: BinaryFile): PageResult {
  const content = `${shownName(path)} is not a text file: ${mediaType}, ${bytes} bytes. It starts with ${firstBytes} (hex).`;
  const data = { file_path: path, kind: 'binary', content, bytes, truncated: true } as const;
  return { data: { ...data, media_type: mediaType, first_bytes: firstBytes }, text: content };
}
