import { createBytes } from './output-window.js';
import type { SpoolFolder, SpoolPlace } from './spool-folder.js';

/** Everything that a command wrote, in the order in which it came. A file is made only when it is long. */
export interface Spool {
  /** False when the disk is behind: `onRoom` follows. */
  write(chunk: Uint8Array): boolean;
  /** The file as far as it is written, or undefined when there is none. */
  settle(): Promise<SpoolState | undefined>;
  /** `isUnwanted`: nobody was told of the file. */
  close(isUnwanted: boolean): Promise<void>;
}

export interface SpoolState {
  readonly name: string;
  readonly isComplete: boolean;
}

export interface SpoolParts {
  readonly folder: SpoolFolder;
  /** What always fits into a result and needs no file. */
  readonly shortBytes: number;
  readonly onRoom: () => void;
  readonly maxBytes?: number;
}

const usualMaxBytes = 64 * 1024 * 1024;
const maxWaitingBytes = 1024 * 1024;

export function openSpool(parts: SpoolParts): Spool {
  const early = createBytes(parts.shortBytes);
  const limit = parts.maxBytes ?? usualMaxBytes;
  let opening: Promise<SpoolPlace | undefined> | undefined;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let taken = 0;
  let isComplete = true;
  let isBroken = false;
  let pumping: Promise<void> | undefined;

  const pump = async (): Promise<void> => {
    const place = await opening;
    while (waiting.length > 0) {
      const batch = Buffer.concat(waiting);
      waiting = [];
      waitingBytes = 0;
      // A full disk, or no folder: the command goes on, and its result says that the file is not whole.
      isBroken ||= !(await writeTo(place, batch));
      if (isBroken) isComplete = false;
      parts.onRoom();
    }
    pumping = undefined;
  };
  const queue = (chunk: Uint8Array) => {
    const wanted = chunk.subarray(0, isBroken ? 0 : limit - taken);
    if (wanted.length < chunk.length) isComplete = false;
    if (wanted.length === 0) return;
    taken += wanted.length;
    waiting.push(wanted);
    waitingBytes += wanted.length;
    pumping ??= pump();
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
      return waitingBytes < maxWaitingBytes;
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

async function writeTo(place: SpoolPlace | undefined, batch: Uint8Array): Promise<boolean> {
  if (place === undefined) return false;
  return place.handle.writeFile(batch).then(
    () => true,
    () => false,
  );
}
