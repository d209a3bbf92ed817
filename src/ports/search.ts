/** Finds files and text in the workspace, for one session. Throws `ToolFailure` for errors that the agent can fix. */
export interface Search {
  /** Real paths of the workspace roots. */
  readonly roots: readonly string[];
  /** Finds files by path pattern. */
  findFiles(query: FileQuery, signal: AbortSignal): Promise<FilesFound>;
  /** Finds text in files. */
  findText(query: TextQuery, signal: AbortSignal): Promise<TextFound>;
}

export const fileOrders = ['newest', 'name'] as const;
export type FileOrder = (typeof fileOrders)[number];

export interface FileQuery {
  /** Supports `**`, `*`, `?`, `[a-z]` and `{a,b}`. Without a slash it matches file names in any folder. */
  readonly pattern: string;
  /** The folder to start from, relative to the first root or absolute. Default: the first root. */
  readonly path?: string;
  readonly order: FileOrder;
  readonly limit: number;
  /** Include files ignored by .gitignore and other ignore files. */
  readonly includeIgnored: boolean;
}

/** `lines`: matching lines. `files`: files with a match. `counts`: matching lines per file. */
export const textModes = ['lines', 'files', 'counts'] as const;
export type TextMode = (typeof textModes)[number];

export interface TextQuery {
  /** A regular expression in ripgrep's default syntax, or plain text. */
  readonly pattern: string;
  readonly isLiteral: boolean;
  readonly ignoresCase: boolean;
  /** Whether a match may span lines. */
  readonly isMultiline: boolean;
  /** The file or folder to search. Default: the first root. */
  readonly path?: string;
  /** File patterns as in `FileQuery`, comma-separated; `!` excludes. */
  readonly glob?: string;
  /** A ripgrep file type, such as `ts`. */
  readonly type?: string;
  readonly mode: TextMode;
  /** Lines to show before and after each match. */
  readonly before: number;
  readonly after: number;
  /** How many lines (or files, in the other modes) to skip, and how many to return. */
  readonly offset: number;
  readonly limit: number;
  readonly includeIgnored: boolean;
}

/** Why a search stopped early. Totals then cover only what was seen so far. */
export type SearchStop = 'limit' | 'time' | 'memory';

interface Found {
  /** True when there are more results. */
  readonly isTruncated: boolean;
  readonly stopped?: SearchStop;
  /** The first few paths that could not be read, and the total. */
  readonly skipped: readonly SkippedFile[];
  readonly totalSkipped: number;
}

export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
}

export interface FilesFound extends Found {
  /** Relative to the first root, with `/`; absolute for files of other roots. */
  readonly files: readonly string[];
  readonly totalFiles: number;
}

export interface TextFound extends Found {
  /** Sorted by path. */
  readonly files: readonly FileMatches[];
  readonly totalFiles: number;
  /** Matching lines. Not counted in mode `files`, which stops at the first match of each file. */
  readonly totalMatches?: number;
}

export interface FileMatches {
  readonly path: string;
  /** A binary file with a match; its lines are not shown. */
  readonly isBinary: boolean;
  /** Only in mode `counts`. */
  readonly count?: number;
  /** Only in mode `lines`. */
  readonly lines: readonly FoundLine[];
}

export interface FoundLine {
  readonly line: number;
  readonly text: string;
  /** False for a context line. */
  readonly isMatch: boolean;
  /** True when the line was cut. */
  readonly isCut: boolean;
}
