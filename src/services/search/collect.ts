import type { TextMode } from '../../ports/search.js';
import { createFirstGroups, type Group } from './first-groups.js';
import { createPathReader, createRecordReader, type OutputRecord, type RecordReader } from './records.js';
import { type Item, matchesIn, readItem } from './text-items.js';

/** Parses ripgrep's output, keeps the first results, and counts the rest. */
export interface Collector {
  push(chunk: Buffer): void;
  end(): void;
  readonly isFull: boolean;
  readonly groups: readonly Group<Item>[];
  readonly totals: Totals;
}

export interface Totals {
  readonly files: number;
  readonly matches: number;
  /** The unit of `offset` and `limit`: lines including context in mode `lines`, otherwise files. */
  readonly items: number;
}

export interface CollectorParts {
  readonly mode: TextMode;
  /** Number of items wanted in total. */
  readonly wanted: number;
  /** Limit per file; absent: the same as `wanted`. */
  readonly perFile?: number;
  /**
   * Returns the path for ripgrep's output (it may differ from the output); undefined if the file was not
   * requested.
   */
  readonly admit: (printed: Buffer) => Buffer | undefined;
}

/** The file in ripgrep's current output. */
interface Current {
  /** ripgrep's name for it; undefined if no more output about it can follow. */
  readonly printed: Buffer | undefined;
  /** Whether the file was requested. */
  readonly isAsked: boolean;
  /** Undefined for a file that is only counted. */
  readonly path: Buffer | undefined;
  readonly items: Item[];
}

export function createCollector(parts: CollectorParts): Collector {
  const { mode, wanted, admit } = parts;
  // In the other modes a file is one item.
  const perFile = mode === 'lines' ? (parts.perFile ?? wanted) : 1;
  const first = createFirstGroups<Item>(wanted);
  let current: Current | undefined;
  let [files, matches, items] = [0, 0, 0];

  const finish = () => {
    const { path, items: found = [] } = current ?? {};
    if (path !== undefined && found.length > 0) first.add({ path, items: found });
    current = undefined;
  };
  const enter = (printed: Buffer): Current => {
    finish();
    const path = admit(printed);
    if (path !== undefined) files += 1;
    const isKept = path !== undefined && first.wants(path);
    // A notice about a binary file comes after its lines; skip the copy if it is not kept.
    const copy = mode === 'lines' ? Buffer.from(printed) : undefined;
    current = {
      printed: copy,
      isAsked: path !== undefined,
      path: isKept ? Buffer.from(path) : undefined,
      items: [],
    };
    return current;
  };
  const hasRoom = (file: Current) => file.path !== undefined && file.items.length < perFile;

  const onRecord = ({ bytes, from, nul, end, isCut, isSame }: OutputRecord) => {
    const file = isSame && current ? current : enter(bytes.subarray(from, nul));
    if (!file.isAsked) return;
    items += 1;
    matches += matchesIn(mode, bytes, nul + 1, end);
    const item = hasRoom(file) ? readItem(mode, bytes.subarray(nul + 1, end), isCut) : undefined;
    if (item !== undefined) file.items.push(item);
  };
  const onBinary = (printed: Buffer) => {
    const file = current?.printed?.equals(printed) === true ? current : enter(printed);
    if (!file.isAsked) return;
    items += 1;
    if (hasRoom(file)) file.items.push({ kind: 'binary' });
  };
  const reader = mode === 'files' ? pathsOnly(onRecord) : createRecordReader({ onRecord, onBinary });
  return {
    push: (chunk) => reader.push(chunk),
    end: () => {
      reader.end();
      finish();
    },
    get isFull() {
      // One file can hold all wanted results, long before ripgrep finishes it.
      return first.isFull || (current?.items.length ?? 0) >= wanted;
    },
    groups: first.groups,
    get totals() {
      return { files, matches, items: mode === 'lines' ? items : files };
    },
  };
}

/** In mode `files` only a NUL follows a path, no line end. */
function pathsOnly(onRecord: (record: OutputRecord) => void): RecordReader {
  const push = createPathReader((bytes, from, to) =>
    onRecord({ bytes, from, nul: to, end: to, isCut: false, isSame: false }),
  );
  return { push, end: () => {} };
}
