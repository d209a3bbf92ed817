import type { OwnView } from '../../ports/own-paths.js';
import type { Drafts } from './drafts.js';
import type { Known } from './known.js';
import type { Locks } from './lock.js';
import type { Ground } from './walk.js';

/** What the work on files of one session needs. */
export interface FileContext {
  readonly ground: Ground;
  readonly known: Known;
  readonly locks: Locks;
  readonly drafts: Drafts;
  /** Whether git would run a file, or take orders from it. */
  readonly isRunByGit: (path: string) => boolean;
  /** What is Tidegate's own. `ground` opens nothing of it that this caller must not see. */
  readonly own: OwnView;
  readonly session: string;
}
