/** Finds files and text in the workspace, for one session. Failures that the agent can mend are `ToolFailure`s. */
export interface Search {
  /** The real paths of the workspace roots. */
  readonly roots: readonly string[];
  /** Files by the pattern of their path. */
  findFiles(query: FileQuery, signal: AbortSignal): Promise<FilesFound>;
  /** Files by what stands in them. */
  findText(query: TextQuery, signal: AbortSignal): Promise<TextFound>;
}

export const fileOrders = ['newest', 'name'] as const;
export type FileOrder = (typeof fileOrders)[number];

export interface FileQuery {
  /** `**`, `*`, `?`, `[a-z]` and `{a,b}`. Without a slash it is the name of a file in any folder. */
  readonly pattern: string;
  /** The folder to start from, relative to the first root or absolute. Left out: the first root. */
  readonly path?: string;
  readonly order: FileOrder;
  readonly limit: number;
  /** Also what ignore files such as .gitignore leave out. */
  readonly includeIgnored: boolean;
}

/** `lines`: every matching line. `files`: the files that have one. `counts`: how many each file has. */
export const textModes = ['lines', 'files', 'counts'] as const;
export type TextMode = (typeof textModes)[number];

export interface TextQuery {
  /** A regular expression in ripgrep's default syntax, or plain text. */
  readonly pattern: string;
  readonly isLiteral: boolean;
  readonly ignoresCase: boolean;
  /** Whether a match may go over the end of a line. */
  readonly isMultiline: boolean;
  /** The file or folder to search. Left out: the first root. */
  readonly path?: string;
  /** Which files, as in `FileQuery`; several with commas between them; those with `!` in front are left out. */
  readonly glob?: string;
  /** One of ripgrep's file types, such as `ts`. */
  readonly type?: string;
  readonly mode: TextMode;
  /** Lines to show before and after each match. */
  readonly before: number;
  readonly after: number;
  /** How many lines (or files, in the other modes) to leave out at the start, and how many to give. */
  readonly offset: number;
  readonly limit: number;
  readonly includeIgnored: boolean;
}

/** Why a search ended before it had seen everything. Totals are then only what was seen until then. */
export type SearchStop = 'limit' | 'time' | 'memory';

interface Found {
  /** True when there is more than was given. */
  readonly isTruncated: boolean;
  readonly stopped?: SearchStop;
  /** What could not be read: the first few, and how many in all. */
  readonly skipped: readonly SkippedFile[];
  readonly totalSkipped: number;
}

export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
}

export interface FilesFound extends Found {
  /** Relative to the first root, with `/` between names; absolute for files of the other roots. */
  readonly files: readonly string[];
  readonly totalFiles: number;
}

export interface TextFound extends Found {
  /** In the order of their paths. */
  readonly files: readonly FileMatches[];
  readonly totalFiles: number;
  /** Matching lines. Not counted in mode `files`, which leaves each file at its first match. */
  readonly totalMatches?: number;
}

export interface FileMatches {
  readonly path: string;
  /** It has a match, but is no text; its lines are not shown. */
  readonly isBinary: boolean;
  /** Only in mode `counts`. */
  readonly count?: number;
  /** Only in mode `lines`. */
  readonly lines: readonly FoundLine[];
}

export interface FoundLine {
  readonly line: number;
  readonly text: string;
  /** False for a line that only stands near a match. */
  readonly isMatch: boolean;
  /** True when only the start of a very long line is given. */
  readonly isCut: boolean;
}
