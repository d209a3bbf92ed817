import { missingKey, type ReadContext } from '../../lib/schema-table/context.js';
import { readPart } from '../../lib/schema-table/read-table.js';
import type { MapNode, Path, TreeNode } from '../../lib/tree.js';
import type { WorkflowCode } from '../codes.js';
import type { Report, Source } from '../finding.js';
import type { Fields, Holds, ValuesOf } from './field.js';
import { workflowLanguage } from './language.js';

/** A string of the file that needs more checks, with its position. */
export interface NotedText {
  readonly holds: Holds;
  readonly text: string;
  readonly source: Source;
  readonly offset: number;
  readonly path: Path;
}

export interface Reading {
  readonly source: Source;
  readonly report: Report;
  readonly note: (text: NotedText) => void;
  /** Nodes that come from another file, such as a template. */
  readonly origins: WeakMap<object, Source>;
}

/** Reads a mapping according to its table. Invalid values are reported and left out. */
export function readFields<F extends Fields>(
  map: MapNode,
  fields: F,
  path: Path,
  reading: Reading,
): ValuesOf<F> {
  // Each value is read by its own field.
  return readEntries(map, fields, path, reading) as ValuesOf<F>;
}

/** Untyped version of `readFields`. `isKnown`: keys that other code reads. */
export function readEntries(
  map: MapNode,
  fields: Fields,
  path: Path,
  reading: Reading,
  isKnown?: (key: string) => boolean,
): Readonly<Record<string, unknown>> {
  const table = { kind: 'record', description: '', fields } as const;
  return readPart(table, { node: map, path }, contextOf(reading), isKnown);
}

export function missing(key: string, path: Path, offset: number, { report, source }: Reading): void {
  report({ code: workflowLanguage.codes.missing, source, offset, path, ...missingKey(key) });
}

/** The reading of a node that may come from another file. */
export function within(reading: Reading, node: TreeNode): Reading {
  const source = reading.origins.get(node);
  return source === undefined ? reading : { ...reading, source };
}

function contextOf(reading: Reading): ReadContext<WorkflowCode> {
  const { source, report, note } = reading;
  const context: ReadContext<WorkflowCode> = {
    language: workflowLanguage,
    report: (finding) => report({ ...finding, source }),
    // Safe: the tables of workflows only use the words in Holds.
    note: (held) => note({ ...held, holds: held.holds as Holds, source }),
    inside: (node) => {
      const inner = within(reading, node);
      return inner === reading ? context : contextOf(inner);
    },
  };
  return context;
}
