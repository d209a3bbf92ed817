import type { Open } from './opened.js';
import { openPortable } from './portable-ground.js';
import { openByHandle } from './proc-ground.js';

export interface Defence {
  readonly name: 'handles' | 'checks';
  /** For people, such as readers of `doctor`. */
  readonly meaning: string;
  readonly open: Open;
}

const handles: Defence = {
  name: 'handles',
  meaning:
    'Files are reached through open handles: exchanging a folder for a link at any moment leads nowhere.',
  open: openByHandle,
};

const checks: Defence = {
  name: 'checks',
  meaning:
    'Paths are checked before and after use: somebody who exchanges folders at the right moment may win.',
  open: openPortable,
};

/** How this platform keeps file tools inside the workspace. On Linux there is one way and no other. */
export function defenceOf(platform: NodeJS.Platform = process.platform): Defence {
  return platform === 'linux' ? handles : checks;
}
