import { lstatSync, statfsSync } from 'node:fs';
import type { Place } from './place.js';

/**
 * Returns the folders in which nothing was renamed, created or removed since before a search began. A link
 * that misleads ripgrep has to replace something while ripgrep walks, which changes its folder: the kernel
 * sets the folder's change time, and no program can set it back. So results from a calm folder are about
 * files inside. Folders end with a slash; the start is empty.
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

/** The coarsest clock of the file systems in use, plus a margin. */
const coarsestMs = 2500;

/** File systems that set change times by this machine's clock, not by what a server or program reports. */
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
    // Another device may be a file system that reports false times.
    return stat.isDirectory() && stat.dev === device && stat.ctimeMs < limit;
  } catch {
    return false;
  }
}

/** `a/b/` becomes `a/b/`, `a/` and the start. */
function withAncestors(folder: string): readonly string[] {
  const found = [''];
  for (let at = folder.indexOf('/'); at !== -1; at = folder.indexOf('/', at + 1))
    found.push(folder.slice(0, at + 1));
  return found;
}
