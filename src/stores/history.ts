import { randomBytes } from 'node:crypto';
import { StoreError } from '../access/ports/index.js';

/** A point of a zone's history, or the origin of a zone: never the same twice. */
export function newHistory(): string {
  return randomBytes(16).toString('base64url');
}

/** Refuses a write that was planned for another state than the present one. */
export function requireExpected(
  expected: string | undefined,
  { revision, history }: { readonly revision: number; readonly history: string },
): void {
  if (expected === undefined || expected === history) return;
  const message = `The zone changed since this write was planned: it is at revision ${String(revision)} now.`;
  throw new StoreError('store.conflict', message);
}
