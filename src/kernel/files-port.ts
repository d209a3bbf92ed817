/**
 * The files of the workspace, for one session. Every path is checked on what is really opened, and nothing outside the
 * roots is ever touched. What cannot be done is thrown as a `ToolFailure`, in words for the agent.
 */
export interface Files {
  /** The real paths of the workspace roots. A relative path starts at the first. */
  readonly roots: readonly string[];
  stat(path: string): Promise<FileFacts>;
  /** Some lines of a text, without loading the rest; or what kind of file it is when it is not a text. */
  read(path: string, window?: ReadWindow): Promise<FilePage>;
  readBytes(path: string, range?: ByteRange): Promise<Uint8Array>;
  /** Replaces a file at one stroke, or makes it and its folders. Refuses what this session has not seen as it is now. */
  write(path: string, text: string, options?: WriteOptions): Promise<FileChange>;
  /** Makes all edits, one after the other, or none. Changes nothing but the bytes of the edited places. */
  edit(path: string, edits: readonly TextEdit[], options?: WriteOptions): Promise<FileChange>;
}

export interface FileFacts {
  /** Relative to the first root, or absolute where it lies in another one. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'other';
  readonly bytes: number;
  /** RFC 3339, UTC. */
  readonly modified: string;
}

export interface ReadWindow {
  /** The first line, from 1. Negative: so many lines before the end. */
  readonly offset?: number;
  readonly limit?: number;
  /** A notebook as the JSON that it is, instead of its cells. */
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
  /** Taken literally. A `\n` in it also finds the line ending that the file uses. */
  readonly oldText: string;
  readonly newText: string;
  /** Every occurrence, instead of the only one. */
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
  /** Left out when nobody counted them. */
  readonly totalLines?: number;
  /** Where to go on; left out when the end was reached. */
  readonly nextOffset?: number;
  /** What a reader must know to understand the lines, as sentences. */
  readonly notes: readonly string[];
}

export interface TextLine {
  /** From 1; negative, counted from the end, where counting from the beginning would take too long. */
  readonly number: number;
  readonly text: string;
  /** Present when the text is only the beginning of the line. */
  readonly isCut?: true;
}

export interface ImageFile {
  readonly kind: 'image';
  readonly path: string;
  readonly bytes: number;
  readonly mediaType: string;
  readonly width?: number;
  readonly height?: number;
  /** Base64. Left out when the image is too large to be sent. */
  readonly data?: string;
}

export interface BinaryFile {
  readonly kind: 'binary';
  readonly path: string;
  readonly bytes: number;
  /** What it seems to be, such as `application/pdf`. */
  readonly mediaType: string;
  /** Hexadecimal. */
  readonly firstBytes: string;
}

export interface FileChange extends TextForm {
  readonly path: string;
  readonly isNew: boolean;
  readonly bytes: number;
  /** How many places were changed; of a write always 1. */
  readonly replacements: number;
  readonly addedLines: number;
  readonly removedLines: number;
  /** Unified, and bounded: what is left out is said at its end. */
  readonly diff: string;
  readonly notes: readonly string[];
}
