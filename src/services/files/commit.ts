import type { FileChange, WriteOptions } from '../../ports/files.js';
import type { FileContext } from './file-service.js';
import { diffTexts } from './diff.js';
import { decode, type Stored, toBytes, toStored, type Units } from './encoding.js';
import { knowledgeOf } from './known.js';
import { endsWithReturns, lineEndingOf } from './line-endings.js';
import { pathForCallers, shown } from './names.js';
import { replaceFile } from './replace.js';
import type { Current, Spot } from './spot.js';

export interface Order {
  readonly spot: Spot;
  /** The present content; absent if the file does not exist. */
  readonly current?: Current;
  readonly after: Stored;
  readonly replacements: number;
  readonly options: WriteOptions;
}

/** Writes the new content, records that this session knows it, and reports the change. */
export async function commit(
  { spot, current, after, replacements, options }: Order,
  context: FileContext,
): Promise<FileChange> {
  const bytes = toBytes(after);
  const { stats, notes } = await replaceFile(
    {
      ...spot,
      bytes,
      ...(current && { previous: current.stats }),
      ...(options.signal && { signal: options.signal }),
    },
    context.drafts,
    context.ground.open,
  );
  context.known.learn(context.session, spot.path, knowledgeOf(stats, bytes));
  const path = pathForCallers(spot.path, context.ground.roots.all);
  const { incomparable, ...changes } = changesOf(shown(path), current, after);
  return {
    path,
    isNew: current === undefined,
    bytes: bytes.length,
    replacements,
    encoding: after.encoding,
    hasBom: after.hasBom,
    lineEnding: lineEndingOf(after.units),
    ...changes,
    notes: [...notes, ...incomparable],
  };
}

interface Changes extends Pick<FileChange, 'diff' | 'addedLines' | 'removedLines'> {
  readonly incomparable: readonly string[];
}

function changesOf(name: string, current: Current | undefined, after: Stored): Changes {
  const before = current === undefined ? emptyLike(after) : current.bytes && toStored(current.bytes);
  // Too large to read whole, or in another encoding (for example, it was not text): lines cannot be compared.
  if (before === undefined || (before.encoding !== after.encoding && before.units !== '')) {
    const why =
      before === undefined ? 'was too large' : `was ${before.encoding} and is now ${after.encoding}`;
    return { diff: '', addedLines: 0, removedLines: 0, incomparable: [`There is no diff: the file ${why}.`] };
  }
  const { text, added, removed } = diffTexts({
    name,
    before: forLines(before.units),
    after: forLines(after.units),
    isNew: current === undefined,
    decode: (units) => decode(units, after.encoding),
  });
  return { diff: text, addedLines: added, removedLines: removed, incomparable: [] };
}

function emptyLike(stored: Stored): Stored {
  return { ...stored, units: '' };
}

function forLines(units: Units): Units {
  return endsWithReturns(units) ? units.replaceAll('\r', '\n') : units;
}
