import { join } from 'node:path';
import { type ArmedCause, keyOfPointer } from './armed-trees.js';
import { isInside } from './inside.js';
import { lookAt } from './plain-file.js';

interface UndoParts {
  /** When the command began, in milliseconds since 1970. */
  readonly begunAt: number;
  /** Where commands can write. */
  readonly grounds: readonly string[];
  /** True for paths under a read-only mount. */
  readonly isFixed: (path: string) => boolean;
  /** Keys of what existed before, see `keyOfCause`. */
  readonly known: ReadonlySet<string>;
}

/**
 * What to move aside for new causes. If the repository is new, its whole `.git` goes, and so does a `.git` file that is
 * new or pointed elsewhere before. Any other repository may be the operator's: only the file goes, and only if a
 * command could write it.
 */
export function causesToMove(
  causes: readonly ArmedCause[],
  { begunAt, grounds, isFixed, known }: UndoParts,
): readonly string[] {
  const isOutside = (path: string): boolean => !grounds.some((ground) => isInside(path, ground));
  const isNewPointer = (tree: string): boolean => {
    const pointer = join(tree, '.git');
    const found = isOutside(tree) || isFixed(pointer) ? undefined : lookAt(pointer);
    if (found === undefined) return false;
    // A renamed file can be older than the command.
    return found.birthtimeMs >= begunAt || (found.isFile() && !known.has(keyOfPointer(tree) ?? ''));
  };
  const toMove = ({ tree, cause, link }: ArmedCause): readonly string[] => {
    if (link === undefined && isNewPointer(tree)) return [join(tree, '.git')];
    return isFixed(cause) || isOutside(cause) ? [] : [cause];
  };
  return [...new Set(causes.flatMap(toMove))];
}
