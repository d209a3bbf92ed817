/** A defence, and what there is of it on each platform. docs/security.md shows this table. */
export interface PlatformDefence {
  readonly id: string;
  readonly what: string;
  readonly on: Readonly<Record<Platform, string>>;
  /** Where it is missing, or less than it is on Linux. */
  readonly isLess: readonly Platform[];
}

export const platforms = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' } as const;
export type Platform = keyof typeof platforms;

export const platformDefences: readonly PlatformDefence[] = [
  {
    id: 'children',
    what: 'children end with the gate (`kill -9`)',
    on: {
      linux: 'yes: groups and marks',
      darwin:
        'groups only: a descendant that starts a session of its own stays, as does a child if the kill falls between its start and its registration',
      win32: 'by process tree (`taskkill /T /F`), no gentle signal',
    },
    isLess: ['darwin', 'win32'],
  },
  {
    id: 'keeper',
    what: 'keeper',
    on: { linux: '`/bin/sh` script', darwin: 'the same', win32: 'a Node script' },
    isLess: [],
  },
  {
    id: 'sandbox',
    what: 'sandbox of `Bash`',
    on: {
      linux: 'bubblewrap, where it is installed and may be used',
      darwin: 'none: commands run with your rights',
      win32: 'none, and no `Bash` outside of WSL',
    },
    isLess: ['darwin', 'win32'],
  },
  {
    id: 'handles',
    what: 'file tools stay in the workspace',
    on: {
      linux: 'by open handles: exchanging a folder for a link leads nowhere',
      darwin: 'paths are checked before and after use: who exchanges folders at the right moment may win',
      win32: 'the same as on macOS',
    },
    isLess: ['darwin', 'win32'],
  },
  {
    id: 'modes',
    what: 'files for you alone (0600, 0700), owner checked',
    on: { linux: 'yes', darwin: 'yes', win32: "no: the file system's own rights apply" },
    isLess: ['win32'],
  },
  {
    id: 'shims',
    what: '`.cmd` shims as `command` (`npx`)',
    on: { linux: '–', darwin: '–', win32: 'needs `cmd` with `/c`' },
    isLess: ['win32'],
  },
];

/** What is less here than on Linux, in words. Undefined for a platform that nobody has tried. */
export function missingDefences(platform: NodeJS.Platform): readonly string[] | undefined {
  if (!isPlatform(platform)) return undefined;
  return platformDefences
    .filter(({ isLess }) => isLess.includes(platform))
    .map(({ what, on }) => `${what}: ${on[platform]}`.replaceAll('`', ''));
}

function isPlatform(platform: NodeJS.Platform): platform is Platform {
  return Object.hasOwn(platforms, platform);
}
