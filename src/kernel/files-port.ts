/** The files of the workspace, for one session. */
export interface Files {
  /** The real paths of the workspace roots. */
  readonly roots: readonly string[];
}
