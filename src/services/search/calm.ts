import { lstatSync, statfsSync } from 'node:fs';
import type { Place } from './place.js';

/**
 * Tells in which folders nothing was renamed, made or removed since before a search began. A link that leads ripgrep
 * astray must take the place of something while it walks, and that changes the folder it stands in: the kernel
 * sets the folder's change time, which nobody can set back. What ripgrep told of a calm folder is true of a file inside.
 * Gives the calm ones among the folders, which end with a slash or are empty for the start itself.
 */
export function findCalm(place: Place, folders: Iterable<string>, began: number): ReadonlySet<string> {
  const start = startOf(place);
  if (start === undefined) return new Set();
  const asked = new Set(folders);
  const all = new Set([...asked].flatMap(withAncestors));
  const limit = began - coarsestMs;
  // Deepest first: a folder that is swapped after its check is detected at its parent.
  const deepestFirst = [...all].sort((one, other) => other.length - one.length);
  const still = new Set(
    deepestFirst.filter((folder) => isStill(place, folder, { limit, device: start.device })),
  );
  return new Set([...asked].filter((folder) => withAncestors(folder).every((one) => still.has(one))));
}

/** The coarsest clock of a file system in use, and some more. */
const coarsestMs = 2500;

/** Those that set change times by the clock of this machine, and not by what some server or program says. */
const localFileSystems = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
  0xf2f52010, // f2fs
  0x2fc12fc1, // zfs
  0xca451a4e, // bcachefs
]);

function startOf({ here }: Place): { readonly device: number } | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    if (!localFileSystems.has(statfsSync(here).type)) return undefined;
    return { device: lstatSync(`${here}/.`).dev };
  } catch {
    return undefined;
  }
}

interface Still {
  readonly limit: number;
  readonly device: number;
}

function isStill(place: Place, folder: string, { limit, device }: Still): boolean {
  const path = Buffer.concat([
    Buffer.from(`${place.here}/`),
    Buffer.from(folder.slice(0, -1) || '.', 'latin1'),
  ]);
  try {
    const stat = lstatSync(path);
    // Another device may be a file system that tells what it likes.
    return stat.isDirectory() && stat.dev === device && stat.ctimeMs < limit;
  } catch {
    return false;
  }
}

/** `a/b/` as `a/b/`, `a/` and the start. */
function withAncestors(folder: string): readonly string[] {
  const found = [''];
  for (let at = folder.indexOf('/'); at !== -1; at = folder.indexOf('/', at + 1))
    found.push(folder.slice(0, at + 1));
  return found;
}
