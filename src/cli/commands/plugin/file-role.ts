import type { LocatedPlugin } from '../../../config/plugins/index.js';

/** The role of a trusted file, for people. The stored text is part of the trust hash and must stay. */
export function fileRole({ what }: LocatedPlugin['files'][number]): string {
  return what === 'its manifest and what stands beside it' ? 'its manifest and the files next to it' : what;
}
