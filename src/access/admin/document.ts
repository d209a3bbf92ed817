import { asRecord, isRecord } from '../../lib/is-record.js';
import { formatTuple } from '../engine/index.js';
import type { GrantTuple } from '../ports/index.js';

/** All grants of a zone, as exported to a file. */
export interface AccessDocument {
  readonly tidegate: 'access';
  readonly format: 1;
  readonly zone: string;
  readonly revision: number;
  /** The model that the tuples were written for. */
  readonly model: string;
  readonly tuples: readonly GrantTuple[];
}

/** The content of a document, which may be written by hand. */
export interface ReadDocument {
  readonly zone?: string;
  readonly model?: string;
  readonly tuples: readonly GrantTuple[];
  readonly problems: readonly string[];
}

/** The largest zone size that is tested. */
const maxTuples = 100_000;
const maxProblems = 100;
const keys = ['tidegate', 'format', 'zone', 'revision', 'model', 'tuples'];

/** Reads a document and reports all problems at once. */
export function readDocument(document: unknown): ReadDocument {
  const problems: string[] = [];
  const tell = (problem: string): void => {
    if (problems.length < maxProblems) problems.push(problem);
  };
  if (!isRecord(document)) return { tuples: [], problems: ['the document must be a mapping'] };
  for (const key of Object.keys(document)) if (!keys.includes(key)) tell(`${key}: unknown field`);
  if (document['tidegate'] !== 'access') tell('tidegate: must be `access`');
  if (document['format'] !== 1) tell('format: must be 1; the document may come from a newer version');
  const { zone, model } = document;
  if (zone !== undefined && typeof zone !== 'string') tell('zone: must be a string');
  const tuples = readTuples(document['tuples'], tell);
  return {
    ...(typeof zone === 'string' && { zone }),
    ...(typeof model === 'string' && { model }),
    tuples,
    problems,
  };
}

/** Reads a list of tuples and reports problems with their position. */
export function readTuples(value: unknown, tell: (problem: string) => void): readonly GrantTuple[] {
  if (!Array.isArray(value)) {
    tell('tuples: must be a list');
    return [];
  }
  if (value.length > maxTuples) {
    tell(`tuples: more than ${String(maxTuples)}`);
    return [];
  }
  const seen = new Set<string>();
  return value.flatMap((one: unknown, at) => {
    const tuple = readTuple(one);
    const words = typeof tuple === 'string' ? undefined : formatTuple(tuple);
    if (typeof tuple === 'string') tell(`tuples.${String(at)}: ${tuple}`);
    else if (seen.has(words ?? '')) tell(`tuples.${String(at)}: duplicate tuple: ${String(words)}`);
    else {
      seen.add(words ?? '');
      return [tuple];
    }
    return [];
  });
}

function readTuple(value: unknown): GrantTuple | string {
  if (!isRecord(value)) return 'must be a mapping';
  const { user, relation, object, condition, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined) return `${other}: unknown field`;
  if (typeof user !== 'string' || typeof relation !== 'string' || typeof object !== 'string')
    return 'needs user, relation and object';
  if (condition === undefined) return { user, relation, object };
  const read = readCondition(condition);
  return typeof read === 'string' ? read : { user, relation, object, condition: read };
}

function readCondition(value: unknown): NonNullable<GrantTuple['condition']> | string {
  const { name, context, ...others } = asRecord(value);
  if (typeof name !== 'string' || Object.keys(others).length > 0)
    return 'condition: needs name, and optionally context';
  if (context === undefined) return { name };
  return isRecord(context) ? { name, context } : 'condition.context: must be a mapping';
}
