/** Runs commands in the workspace, for one session. */
export interface Shell {
  /** The real paths of the workspace roots. */
  readonly roots: readonly string[];
}
