import type { Open } from './opened.js';
import { openPortable } from './portable-ground.js';
import { openByHandle } from './proc-ground.js';

export interface Defence {
  readonly name: 'handles' | 'checks';
  /** Shown to people, for example by `doctor`. */
  readonly meaning: string;
  readonly open: Open;
}

const handles: Defence = {
  name: 'handles',
  meaning: 'Files are opened through handles, so replacing a folder with a link has no effect.',
  open: openByHandle,
};

const checks: Defence = {
  name: 'checks',
  meaning:
    'Paths are checked before and after use. A process that swaps folders at the right moment can get around the check.',
  open: openPortable,
};

/** How this platform keeps file tools inside the workspace. Linux has no fallback. */
export function defenceOf(platform: NodeJS.Platform = process.platform): Defence {
  return platform === 'linux' ? handles : checks;
}
