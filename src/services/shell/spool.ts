import { createBytes } from './output-window.js';
import type { SpoolFolder, SpoolPlace } from './spool-folder.js';

/** Everything that a command wrote, in order. Creates a file only for long output. */
export interface Spool {
  /** Copies the chunk. Returns false if the disk is behind; `onRoom` follows. */
  write(chunk: Uint8Array): boolean;
  /** The file as written so far, or undefined if there is none. */
  settle(): Promise<SpoolState | undefined>;
  /** `isUnwanted`: no result names the file. */
  close(isUnwanted: boolean): Promise<void>;
}

export interface SpoolState {
  readonly name: string;
  readonly isComplete: boolean;
}

export interface SpoolParts {
  readonly folder: SpoolFolder;
  /** Output up to this size always fits into a result and needs no file. */
  readonly shortBytes: number;
  readonly onRoom: () => void;
  readonly maxBytes?: number;
}

const usualMaxBytes = 64 * 1024 * 1024;
const bufferBytes = 512 * 1024;
/** Leaves room for output that arrives after the request to pause. */
const enoughBytes = 128 * 1024;

export function openSpool(parts: SpoolParts): Spool {
  const early = createBytes(parts.shortBytes);
  const limit = parts.maxBytes ?? usualMaxBytes;
  let opening: Promise<SpoolPlace | undefined> | undefined;
  let buffers: Buffers | undefined;
  let taken = 0;
  let isComplete = true;
  let pumping: Promise<void> | undefined;

  const pump = async (from: Buffers): Promise<void> => {
    const place = await opening;
    for (let batch = from.swap(); batch.length > 0; batch = from.swap()) {
      // The disk is full or there is no folder: the command continues, and its result says that the file is incomplete.
      if (!(await writeTo(place, batch))) limitReached();
      parts.onRoom();
    }
    pumping = undefined;
  };
  const limitReached = () => {
    isComplete = false;
    taken = limit;
  };
  const queue = (chunk: Uint8Array) => {
    buffers ??= createBuffers();
    const stored = buffers.append(chunk.subarray(0, limit - taken));
    taken += stored;
    // A chunk that does not fit leaves a gap, so nothing may follow it.
    if (stored < chunk.length) limitReached();
    if (stored > 0) pumping ??= pump(buffers);
  };

  return {
    write(chunk) {
      if (opening === undefined) {
        const fitting = early.append(chunk);
        if (fitting === chunk.length) return true;
        opening = parts.folder.create();
        queue(early.content());
        queue(chunk.subarray(fitting));
      } else queue(chunk);
      return buffers === undefined || buffers.length() < enoughBytes;
    },
    async settle() {
      while (pumping !== undefined) await pumping;
      const place = await opening;
      return place === undefined ? undefined : { name: place.name, isComplete };
    },
    async close(isUnwanted) {
      while (pumping !== undefined) await pumping;
      await (await opening)?.done(isUnwanted);
    },
  };
}

interface Buffers {
  /** Appends as much as fits, and returns how much that was. */
  append(chunk: Uint8Array): number;
  length(): number;
  /** What was appended since the last call; valid until the next one. */
  swap(): Uint8Array;
}

/** One buffer fills while the other is written, so that a flood creates no garbage. */
function createBuffers(): Buffers {
  let filling = new Uint8Array(bufferBytes);
  let other = new Uint8Array(bufferBytes);
  let length = 0;
  return {
    append(chunk) {
      const stored = Math.min(chunk.length, bufferBytes - length);
      filling.set(chunk.subarray(0, stored), length);
      length += stored;
      return stored;
    },
    length: () => length,
    swap() {
      const full = filling.subarray(0, length);
      [filling, other] = [other, filling];
      length = 0;
      return full;
    },
  };
}

async function writeTo(place: SpoolPlace | undefined, batch: Uint8Array): Promise<boolean> {
  if (place === undefined) return false;
  return place.handle.writeFile(batch).then(
    () => true,
    () => false,
  );
}
