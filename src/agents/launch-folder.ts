import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PlanFile } from './launch.js';

/** Files of one launch, readable only by this user. */
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

/** A process that is ending may still write here; the next sweep removes what is left. */
export function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  } catch {
    // Leftover files must not fail the launch.
  }
}
