import type { Tuple } from '../engine/index.js';

/** What the profiles file says, as tuples. Another file is another policy. */
export interface Policy {
  readonly tuples: readonly Tuple[];
  /** For principals without any profile; undefined: they have none. */
  readonly defaultProfile: string | undefined;
  readonly names: ReadonlySet<string>;
}

export const emptyPolicy: Policy = { tuples: [], defaultProfile: undefined, names: new Set() };
