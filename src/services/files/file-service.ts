import type { OwnView } from '../../ports/own-paths.js';
import type { Drafts } from './drafts.js';
import type { Known } from './known.js';
import type { Locks } from './lock.js';
import type { Ground } from './walk.js';

/** Everything that file operations of one session need. */
export interface FileContext {
  readonly ground: Ground;
  readonly known: Known;
  readonly locks: Locks;
  readonly drafts: Drafts;
  /** Whether git would run a file or act on its content. */
  readonly isRunByGit: (path: string) => boolean;
  /** Tidegate's own files. `ground` opens none that this caller must not see. */
  readonly own: OwnView;
  readonly session: string;
}
