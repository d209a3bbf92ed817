import type { FileChange, WriteOptions } from '../../kernel/files-port.js';
import type { Desk } from './desk.js';
import { diffTexts } from './diff.js';
import { decode, type Stored, toBytes, toStored, type Units } from './encoding.js';
import { knowledgeOf } from './known.js';
import { endsWithReturns, lineEndingOf } from './line-endings.js';
import { pathForCallers, shown } from './names.js';
import { replaceFile } from './replace.js';
import type { Current, Spot } from './spot.js';

export interface Order {
  readonly spot: Spot;
  /** What stands there now; left out when nothing does. */
  readonly current?: Current;
  readonly after: Stored;
  readonly replacements: number;
  readonly options: WriteOptions;
}

/** Puts the new content in place, remembers that this session knows it, and tells what changed. */
export async function commit(
  { spot, current, after, replacements, options }: Order,
  desk: Desk,
): Promise<FileChange> {
  const bytes = toBytes(after);
  const { stats, notes } = await replaceFile(
    {
      ...spot,
      bytes,
      ...(current && { previous: current.stats }),
      ...(options.signal && { signal: options.signal }),
    },
    desk.drafts,
    desk.ground.open,
  );
  desk.known.learn(desk.session, spot.path, knowledgeOf(stats, bytes));
  const path = pathForCallers(spot.path, desk.ground.roots.all);
  return {
    path,
    isNew: current === undefined,
    bytes: bytes.length,
    replacements,
    encoding: after.encoding,
    hasBom: after.hasBom,
    lineEnding: lineEndingOf(after.units),
    ...changesOf(shown(path), current, after),
    notes,
  };
}

function changesOf(
  name: string,
  current: Current | undefined,
  after: Stored,
): Pick<FileChange, 'diff' | 'addedLines' | 'removedLines'> {
  const before = current === undefined ? emptyLike(after) : current.bytes && toStored(current.bytes);
  // Too large to be read whole, or bytes that are no text in the same encoding: there is nothing to compare.
  if (before === undefined || (before.encoding !== after.encoding && before.units !== '')) {
    return { diff: '', addedLines: 0, removedLines: 0 };
  }
  const { text, added, removed } = diffTexts({
    name,
    before: forLines(before.units),
    after: forLines(after.units),
    isNew: current === undefined,
    decode: (units) => decode(units, after.encoding),
  });
  return { diff: text, addedLines: added, removedLines: removed };
}

function emptyLike(stored: Stored): Stored {
  return { ...stored, units: '' };
}

function forLines(units: Units): Units {
  return endsWithReturns(units) ? units.replaceAll('\r', '\n') : units;
}
