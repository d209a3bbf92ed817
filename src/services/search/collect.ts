import type { TextMode } from '../../kernel/search-port.js';
import { createFirstGroups, type Group } from './first-groups.js';
import { createPathReader, createRecordReader, type RecordReader } from './records.js';
import { type Item, matchesIn, readItem } from './text-items.js';

/** Takes ripgrep's output, keeps the first of what was asked for, and counts the rest. */
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
  /** What `offset` and `limit` count: lines, with those around matches, in mode `lines`, otherwise files. */
  readonly items: number;
}

export interface CollectorParts {
  readonly mode: TextMode;
  /** How many items are wanted in all. */
  readonly wanted: number;
  /** How many of one file, if not as many as in all. */
  readonly perFile?: number;
  /** Makes a path out of what ripgrep printed; undefined: not asked for. */
  readonly admit: (printed: Buffer) => Buffer | undefined;
}

interface Current {
  readonly printed: Buffer;
  /** Undefined for a file that is not asked for. */
  readonly path: Buffer | undefined;
  readonly isKept: boolean;
  readonly items: Item[];
}

export function createCollector(parts: CollectorParts): Collector {
  const { mode, wanted, admit } = parts;
  // In the other modes a file is one item, whatever is told of it.
  const perFile = mode === 'lines' ? (parts.perFile ?? wanted) : 1;
  const first = createFirstGroups<Item>(wanted);
  let current: Current | undefined;
  let [files, matches, items] = [0, 0, 0];

  const finish = () => {
    if (current?.path !== undefined && current.items.length > 0)
      first.add({ path: current.path, items: current.items });
    current = undefined;
  };
  const enter = (printed: Buffer): Current => {
    if (current?.printed.equals(printed) === true) return current;
    finish();
    const found = admit(printed);
    const path = found === undefined ? undefined : Buffer.from(found);
    if (path !== undefined) files += 1;
    const isKept = path !== undefined && first.wants(path);
    current = { printed: Buffer.from(printed), path, isKept, items: [] };
    return current;
  };
  const keep = (file: Current, item: Item | undefined) => {
    if (item !== undefined && file.items.length < perFile) file.items.push(item);
  };

  const handlers = {
    onRecord: (printed: Buffer, text: Buffer, isCut: boolean) => {
      const file = enter(printed);
      if (file.path === undefined) return;
      items += 1;
      matches += matchesIn(mode, text);
      if (file.isKept && file.items.length < perFile) keep(file, readItem(mode, text, isCut));
    },
    onBinary: (printed: Buffer) => {
      const file = enter(printed);
      if (file.path === undefined) return;
      items += 1;
      if (file.isKept) keep(file, { kind: 'binary' });
    },
  };
  const reader = mode === 'files' ? pathsOnly(handlers.onRecord) : createRecordReader(handlers);
  return {
    push: (chunk) => reader.push(chunk),
    end: () => {
      reader.end();
      finish();
    },
    get isFull() {
      // One file alone can hold all that is wanted, long before ripgrep is through with it.
      return first.isFull || (current?.isKept === true && current.items.length >= wanted);
    },
    groups: first.groups,
    get totals() {
      return { files, matches, items: mode === 'lines' ? items : files };
    },
  };
}

/** In mode `files` there is nothing after a path, not even a line end. */
function pathsOnly(onRecord: (path: Buffer, text: Buffer, isCut: boolean) => void): RecordReader {
  const nothing = Buffer.alloc(0);
  return { push: createPathReader((path) => onRecord(path, nothing, false)), end: () => {} };
}
