import { linksOnWay } from '../../lib/links-on-way.js';
import { isInside, type OwnPlaces, realOf } from './own-places.js';

export interface ShakyLink {
  readonly link: string;
  /** The Tidegate path that the link points to. */
  readonly path: string;
}

/**
 * The first link inside a workspace root on the way to a state folder or store. An agent can replace such a link, and
 * no mount can hold it. Configuration and profiles need no check: they are trusted by hash, so a replaced link makes
 * them untrusted. The log opens its file without following links.
 */
export function findShakyLink({
  roots,
  stateDir,
  otherStateDirs = [],
  files,
}: OwnPlaces): ShakyLink | undefined {
  const real = roots.map(realOf);
  const stores = files.flatMap(({ kind, path }) => (kind === 'store' ? [path] : []));
  for (const path of [stateDir, ...stores, ...otherStateDirs]) {
    const link = linksOnWay(path).find((one) => real.some((root) => isInside(one, root)));
    if (link !== undefined) return { link, path };
  }
  return undefined;
}
