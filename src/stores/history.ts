import { randomBytes } from 'node:crypto';
import { StoreError } from '../access/ports/index.js';

/** A unique id for a point in a zone's history, or for the origin of a zone. */
export function newHistory(): string {
  return randomBytes(16).toString('base64url');
}

/** Refuse a write that was planned against an older state. */
export function requireExpected(
  expected: string | undefined,
  { revision, history }: { readonly revision: number; readonly history: string },
): void {
  if (expected === undefined || expected === history) return;
  const message = `The zone changed after this write was planned: it is now at revision ${String(revision)}.`;
  throw new StoreError('store.conflict', message);
}
