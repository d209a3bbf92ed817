/** A protection and how far each platform supports it. Also shown as a table in docs/security.md. */
export interface PlatformDefence {
  readonly id: string;
  readonly what: string;
  readonly on: Readonly<Record<Platform, string>>;
  /** Platforms where it is missing or weaker than on Linux. */
  readonly isLess: readonly Platform[];
}

export const platforms = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' } as const;
export type Platform = keyof typeof platforms;

export const platformDefences: readonly PlatformDefence[] = [
  {
    id: 'children',
    what: 'child processes end with Tidegate, even after `kill -9`',
    on: {
      linux: 'yes: process groups and environment marks',
      darwin:
        'process groups only: a descendant in its own session survives, and so does a child killed between its start and its registration',
      win32: 'by process tree (`taskkill /T /F`), without a graceful signal',
    },
    isLess: ['darwin', 'win32'],
  },
  {
    id: 'reaper',
    what: 'reaper (ends orphaned processes)',
    on: { linux: '`/bin/sh` script', darwin: 'the same', win32: 'a Node script' },
    isLess: [],
  },
  {
    id: 'sandbox',
    what: '`Bash` sandbox',
    on: {
      linux: 'bubblewrap, if installed and allowed',
      darwin: 'none: your commands run with your full permissions, and other principals cannot use `Bash`',
      win32: 'none, and no `Bash` outside WSL',
    },
    isLess: ['darwin', 'win32'],
  },
  {
    id: 'handles',
    what: 'file tools stay in the workspace',
    on: {
      linux: 'by open handles: replacing a folder with a link has no effect',
      darwin: 'paths are checked before and after use: a folder replaced at the right moment may get through',
      win32: 'same as macOS',
    },
    isLess: ['darwin', 'win32'],
  },
  {
    id: 'modes',
    what: 'private files (0600, 0700), owner checked',
    on: { linux: 'yes', darwin: 'yes', win32: 'no: file system permissions apply' },
    isLess: ['win32'],
  },
  {
    id: 'environment',
    what: 'environment variables of Tidegate are hidden from processes it starts',
    on: {
      linux: 'yes: not passed on, and erased from `/proc/<pid>/environ`',
      darwin: 'not passed on, but your other programs can read them (`ps -E`)',
      win32: 'not passed on, but your other programs can read them',
    },
    isLess: ['darwin', 'win32'],
  },
  {
    id: 'shims',
    what: '`.cmd` shims as `command` (`npx`)',
    on: { linux: '–', darwin: '–', win32: 'needs `cmd` with `/c`' },
    isLess: ['win32'],
  },
];

/** Protections that are weaker here than on Linux. Undefined for an untested platform. */
export function missingDefences(platform: NodeJS.Platform): readonly string[] | undefined {
  if (!isPlatform(platform)) return undefined;
  return platformDefences
    .filter(({ isLess }) => isLess.includes(platform))
    .map(({ what, on }) => `${what}: ${on[platform]}`.replaceAll('`', ''));
}

function isPlatform(platform: NodeJS.Platform): platform is Platform {
  return Object.hasOwn(platforms, platform);
}
