import { randomFillSync } from 'node:crypto';
import { closeSync, constants, fstatSync, ftruncateSync, openSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { storeErrorOf } from './failures.js';

/** Disk space kept for revokes: a file beside the store that is emptied when a revoke finds the disk full. */
export interface Reserve {
  /** Create or grow the file while the disk has plenty of space. */
  tend(): void;
  /**
   * Run the work; if the disk is full, run it again with the space of the reserve. Refill the reserve
   * afterwards.
   */
  use<T>(work: () => T | Promise<T>): Promise<T>;
}

const wholeBytes = 4 * 1024 * 1024;
const pieceBytes = 64 * 1024;
const tendEveryMs = 60_000;

export function createReserve(file: string): Reserve {
  const path = `${file}-reserve`;
  let tendedAt = Number.NEGATIVE_INFINITY;

  /** Undefined if the file is missing and can't be created. */
  function withFile<T>(work: (descriptor: number) => T): T | undefined {
    let descriptor: number | undefined;
    try {
      descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
      return work(descriptor);
    } catch {
      // The store also works without a reserve.
      return undefined;
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  function release(): number {
    const released = withFile((descriptor) => {
      const { size } = fstatSync(descriptor);
      ftruncateSync(descriptor, 0);
      return size;
    });
    return released ?? 0;
  }

  return {
    tend() {
      if (performance.now() - tendedAt < tendEveryMs) return;
      tendedAt = performance.now();
      withFile((descriptor) => {
        const { size } = fstatSync(descriptor);
        const { bavail, bsize } = statfsSync(dirname(path));
        fill(descriptor, Math.min(wholeBytes, size + Math.floor((bavail * bsize) / 4)));
      });
    },
    async use(work) {
      try {
        return await work();
      } catch (error) {
        if (storeErrorOf(error, file).code !== 'store.full') throw error;
        const released = release();
        if (released === 0) throw error;
        try {
          return await work();
        } finally {
          // Refill at once: writes that grant access must not use this space.
          withFile((descriptor) => fill(descriptor, released));
        }
      }
    },
  };
}

/** Fill with bytes that no file system can compress. Throws when the disk is full; what was written stays. */
function fill(descriptor: number, bytes: number): void {
  const piece = Buffer.alloc(pieceBytes);
  let { size } = fstatSync(descriptor);
  while (size < bytes)
    size += writeSync(descriptor, randomFillSync(piece), 0, Math.min(pieceBytes, bytes - size), size);
}
