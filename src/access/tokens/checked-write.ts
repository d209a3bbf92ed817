import { StoreError, type TokenStore } from '../ports/index.js';

export interface CheckedWriteParts {
  readonly store: Pick<TokenStore, 'head'>;
  readonly zone: string;
  /** Absent for the operator. */
  readonly isStillAllowed?: () => boolean | Promise<boolean>;
}

/** The caller lost the right during the operation. */
export class NotAllowed extends Error {}

const maxTries = 500;

/** Writes at the revision at which the caller's rights were checked; checks again after a conflict. */
export async function writeChecked<T>(
  { store, zone, isStillAllowed }: CheckedWriteParts,
  write: (expected: string | undefined) => Promise<T>,
): Promise<T> {
  if (isStillAllowed === undefined) return write(undefined);
  for (let tries = 1; ; tries += 1) {
    const { history } = await store.head(zone);
    if (!(await isStillAllowed())) throw new NotAllowed('Only an admin can do this.');
    try {
      return await write(history);
    } catch (error) {
      const isConflict = error instanceof StoreError && error.code === 'store.conflict';
      if (!isConflict || tries >= maxTries) throw error;
    }
  }
}
