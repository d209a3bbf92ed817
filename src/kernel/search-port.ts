/** Finds files and text in the workspace, for one session. */
export interface Search {
  /** The real paths of the workspace roots. */
  readonly roots: readonly string[];
}
