import { type Stats, statSync } from 'node:fs';

/** What stands at a path. A path that leads through a file, such as a record beside the folders of plugins, has nothing. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
