import type { Drafts } from './drafts.js';
import type { Known } from './known.js';
import type { Locks } from './lock.js';
import type { Ground } from './walk.js';

/** What the work on files of one session needs. */
export interface Desk {
  readonly ground: Ground;
  readonly known: Known;
  readonly locks: Locks;
  readonly drafts: Drafts;
  /** The real path of our own state, which nobody else writes even where it lies in the workspace. */
  readonly stateDir: string;
  readonly session: string;
}
