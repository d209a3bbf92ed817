import type { FileHandle } from 'node:fs/promises';

/** Random access to the bytes of an open file. */
export interface Source {
  /** As reported by the system; some files contain more or less. */
  readonly size: number;
  /** Up to `length` bytes; fewer only at the end. The result is valid until the next call. */
  read(position: number, length: number): Promise<Buffer>;
}

/** Reuses one buffer, so that memory does not grow with the file. */
export function sourceOf(handle: FileHandle, size: number, signal?: AbortSignal): Source {
  let buffer = Buffer.alloc(0);
  return {
    size,
    async read(position, length) {
      signal?.throwIfAborted();
      if (buffer.length < length) buffer = Buffer.allocUnsafeSlow(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
  };
}

export function sourceOfBytes(bytes: Buffer): Source {
  return {
    size: bytes.length,
    read: async (position, length) => bytes.subarray(position, position + length),
  };
}
