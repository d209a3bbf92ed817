// Parse what the database returns. Any unexpected value means that the store is damaged.
import { type GrantChange, type GrantTuple, StoreError } from '../access/ports/index.js';
import { conditionOf } from './record-text.js';

export function textOf(cell: unknown): string {
  if (typeof cell !== 'string') throw unexpected();
  return cell;
}

export function numberOf(cell: unknown): number {
  if (typeof cell !== 'number') throw unexpected();
  return cell;
}

function textOrNull(cell: unknown): string | null {
  return cell === null ? null : textOf(cell);
}

export function numberOrNull(cell: unknown): number | null {
  return cell === null ? null : numberOf(cell);
}

/** Parse a JSON array. */
export function listOf(cell: unknown): readonly unknown[] {
  const value: unknown = JSON.parse(textOf(cell));
  if (!Array.isArray(value)) throw unexpected();
  return value;
}

/** User, relation, object, and the condition as JSON. */
export function tupleOf(cells: unknown): GrantTuple {
  const list: readonly unknown[] = Array.isArray(cells) ? cells : [];
  const [user, relation, object, given] = list;
  const condition = conditionOf(textOrNull(given));
  const words = { user: textOf(user), relation: textOf(relation), object: textOf(object) };
  return condition === undefined ? words : { ...words, condition };
}

export function changeOf(value: unknown): GrantChange {
  if (isChange(value)) return value;
  throw unexpected();
}

function isChange(value: unknown): value is GrantChange {
  if (typeof value !== 'object' || value === null) return false;
  return 'kind' in value && (value.kind === 'add' || value.kind === 'remove') && 'tuple' in value;
}

function unexpected(): StoreError {
  return new StoreError('store.corrupt', 'The store contains a value of an unexpected type.');
}
