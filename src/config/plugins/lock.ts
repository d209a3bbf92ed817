import { dirname, join } from 'node:path';
import { coverStart } from '../started/cover-start.js';
import { lockRecordOf } from '../started/lock-record.js';
import type { TrustRecord } from '../trust-file.js';
import type { LocatedPlugin } from './locate.js';

/** What the trust record of a plugin contains besides its hash: the locked files. Throws like `lockRecordOf`. */
export function lockOfPlugin({
  files,
  start,
  env,
}: Pick<LocatedPlugin, 'files' | 'start' | 'env'>): Pick<TrustRecord, 'covers' | 'guards'> {
  if (start?.kind !== 'program') return {};
  const { command, args, cwd } = start;
  const { guards } = coverStart({ command, args, cwd, env }, [cwd]);
  const hashed = files.flatMap(({ file, sha256, what }) => {
    if (what === 'its entry') return [];
    if (what === 'its manifest and what stands beside it')
      return [{ file: join(dirname(file), '**'), sha256 }];
    return [{ file: what === 'a folder that its command names' ? join(file, '**') : file, sha256 }];
  });
  return lockRecordOf({ files: hashed, guards }, [cwd]);
}
