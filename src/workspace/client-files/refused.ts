export type ImportCode =
  | 'import.unreadable'
  | 'import.too_large'
  | 'import.broken'
  | 'import.foreign_file'
  | 'import.read_only'
  | 'import.unwritable'
  | 'import.changed'
  | 'import.unverified'
  | 'import.passing_gate'
  | 'import.moved'
  | 'import.outside'
  | 'import.not_undoable';

/** Why an import, or part of it, was not done. Nothing was written unless the message says so. */
export class ImportRefused extends Error {
  readonly code: ImportCode;
  readonly next: string | undefined;
  /** Extra lines for the user. */
  readonly lines: readonly string[];

  constructor(code: ImportCode, message: string, next?: string, lines: readonly string[] = []) {
    super(message);
    this.code = code;
    this.next = next;
    this.lines = lines;
  }
}
