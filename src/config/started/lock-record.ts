import type { TrustRecord } from '../trust-file.js';
import type { Cover } from './covered.js';
import { otherNames } from './other-names.js';
import { hashedPath } from './record-names.js';

/** The part of a trust record about locked files. Throws if hard links to these files can't be found reliably. */
export function lockRecordOf(
  { files, guards }: Pick<Cover, 'files' | 'guards'>,
  roots: readonly string[],
  limit?: number,
): Pick<TrustRecord, 'covers' | 'guards'> {
  if (files.length === 0) return {};
  const names = otherNames([...files.flatMap(({ file }) => hashedPath(file)), ...guards.fixed], roots, limit);
  return {
    covers: Object.fromEntries(files.map(({ file, sha256 }) => [file, sha256])),
    guards: { ...guards, fixed: [...guards.fixed, ...names] },
  };
}
