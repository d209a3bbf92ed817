import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PlanFile } from './launch.js';

/** The files of one launch, for this user alone. */
export interface LaunchFolder {
  readonly path: string;
  write(files: readonly PlanFile[]): void;
  remove(): void;
}

export function openLaunchFolder(parent: string): LaunchFolder {
  const path = join(parent, `agent-${randomBytes(6).toString('hex')}`);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return {
    path,
    write(files) {
      for (const file of files) {
        const to = join(path, file.path);
        mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
        if ('text' in file) writeFileSync(to, file.text, { mode: 0o600, flag: 'wx' });
        else {
          if (file.isFolder === true) mkdirSync(file.link, { recursive: true, mode: 0o700 });
          symlinkSync(file.link, to);
        }
      }
    },
    remove: () => removeFolder(path),
  };
}

/** A process that is about to end may still write there: what cannot be removed now is left to the next sweep. */
export function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  } catch {
    // Not worth a failure.
  }
}
