/**
 * The workspace files, for one session. Paths are checked on the file actually opened, so nothing outside the roots is
 * ever touched. Failures are thrown as `ToolFailure` with a message for the agent.
 */
export interface Files {
  /** Real paths of the workspace roots. Relative paths start at the first. */
  readonly roots: readonly string[];
  stat(path: string): Promise<FileFacts>;
  /** Reads some lines of a text file without loading the rest, or describes a non-text file. */
  read(path: string, window?: ReadWindow): Promise<FilePage>;
  readBytes(path: string, range?: ByteRange): Promise<Uint8Array>;
  /** Replaces a file atomically, or creates it with its folders. The session must have read the current content. */
  write(path: string, text: string, options?: WriteOptions): Promise<FileChange>;
  /** Applies all edits in order, or none. Only the edited bytes change. */
  edit(path: string, edits: readonly TextEdit[], options?: WriteOptions): Promise<FileChange>;
}

export interface FileFacts {
  /** Relative to the first root, or absolute if inside another root. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'other';
  readonly bytes: number;
  /** RFC 3339, UTC. */
  readonly modified: string;
}

export interface ReadWindow {
  /** First line, from 1. Negative: counted from the end. */
  readonly offset?: number;
  readonly limit?: number;
  /** Return a notebook as raw JSON instead of cells. */
  readonly raw?: boolean;
  readonly signal?: AbortSignal;
}

export interface ByteRange {
  readonly position?: number;
  readonly length?: number;
}

export interface WriteOptions {
  readonly signal?: AbortSignal;
}

export interface TextEdit {
  /** Matched literally. `\n` also matches the file's line ending. */
  readonly oldText: string;
  readonly newText: string;
  /** Replace every occurrence instead of requiring exactly one. */
  readonly replaceAll?: boolean;
}

export type FilePage = TextPage | ImageFile | BinaryFile;

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin1';
export type LineEnding = 'lf' | 'crlf' | 'cr' | 'mixed' | 'none';

/** How a text is stored. */
export interface TextForm {
  readonly encoding: Encoding;
  readonly hasBom: boolean;
  readonly lineEnding: LineEnding;
}

export interface TextPage extends TextForm {
  readonly kind: 'text' | 'notebook';
  readonly path: string;
  readonly bytes: number;
  readonly lines: readonly TextLine[];
  /** Absent if not counted. */
  readonly totalLines?: number;
  /** Where to continue; absent at the end of the file. */
  readonly nextOffset?: number;
  /** Sentences that help to understand the lines. */
  readonly notes: readonly string[];
}

export interface TextLine {
  /** From 1. Negative (from the end) if counting from the start would take too long. */
  readonly number: number;
  readonly text: string;
  /** Set when the line was cut. */
  readonly isCut?: true;
}

export interface ImageFile {
  readonly kind: 'image';
  readonly path: string;
  readonly bytes: number;
  readonly mediaType: string;
  readonly width?: number;
  readonly height?: number;
  /** Base64. Absent if the image is too large to send. */
  readonly data?: string;
}

export interface BinaryFile {
  readonly kind: 'binary';
  readonly path: string;
  readonly bytes: number;
  /** Detected type, such as `application/pdf`. */
  readonly mediaType: string;
  /** Hexadecimal. */
  readonly firstBytes: string;
}

export interface FileChange extends TextForm {
  readonly path: string;
  readonly isNew: boolean;
  readonly bytes: number;
  /** Number of replacements; always 1 for a write. */
  readonly replacements: number;
  readonly addedLines: number;
  readonly removedLines: number;
  /** Unified diff with a size limit; the end says what was cut. */
  readonly diff: string;
  readonly notes: readonly string[];
}
