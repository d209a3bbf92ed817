import { type Stats, statSync } from 'node:fs';

/** Stats of a path, or undefined if it does not exist or a parent is a file. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Throws for a workspace script that does not exist yet, because an agent could create it. */
export function failMissing(path: string, isOfWorkspace: boolean): void {
  if (isOfWorkspace) throw new Error(`${path} does not exist yet; build it before you trust it`);
}
