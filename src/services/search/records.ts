/**
 * Splits ripgrep's output (with --null) into records, for any bytes in names and lines. Buffers a bounded
 * rest only.
 */
export interface RecordReader {
  push(chunk: Buffer): void;
  end(): void;
}

export interface RecordHandlers {
  readonly onRecord: (record: OutputRecord) => void;
  /** Called for ripgrep's notice about a matching file that is not text. */
  readonly onBinary: (path: Buffer) => void;
}

/**
 * `path NUL text LF` within the bytes, valid only during the call. All records share one object: there may be
 * millions, and a buffer for each path and text would cost more than everything else.
 */
export interface OutputRecord {
  readonly bytes: Buffer;
  readonly from: number;
  readonly nul: number;
  readonly end: number;
  readonly isCut: boolean;
  /** Whether it belongs to the same file as the one before. */
  readonly isSame: boolean;
}

const newline = 10;
/** Longer than any path, and than any line within --max-columns unless its characters are extremely long. */
const maxRecord = 64 * 1024;
const startLength = 2;
const binaryWords =
  /^(.*): (?:binary file matches|WARNING: stopped searching binary file after match) \(found "\\0" byte around offset \d+\)$/s;

export function createRecordReader({ onRecord, onBinary }: RecordHandlers): RecordReader {
  const record: { -readonly [Part in keyof OutputRecord]: OutputRecord[Part] } = {
    bytes: Buffer.alloc(0),
    from: 0,
    nul: 0,
    end: 0,
    isCut: false,
    isSame: false,
  };
  const previous = createPathMemory();
  let rest: Buffer = Buffer.alloc(0);
  let isSkipping = false;

  /** Returns where the next record starts, or -1 if more bytes are needed. */
  const takeOne = (bytes: Buffer, from: number, isLast: boolean): number => {
    const same = previous.endOfSame(bytes, from);
    const nul = same === -1 ? bytes.indexOf(0, from) : same;
    const end = bytes.indexOf(newline, same === -1 ? from : same);
    if (end !== -1 && (nul === -1 || end < nul)) {
      const path = binaryPath(bytes.toString('latin1', from, end));
      if (path !== undefined && !isLast && bytes.length < end + 1 + startLength) return -1;
      if (path !== undefined && startsRecord(bytes, end + 1)) {
        onBinary(Buffer.from(path, 'latin1'));
        previous.forget();
        return end + 1;
      }
    }
    if (nul === -1) return -1;
    const textEnd = end > nul ? end : bytes.indexOf(newline, nul + 1);
    if (textEnd === -1) return -1;
    record.bytes = bytes;
    record.from = from;
    record.nul = nul;
    record.end = textEnd;
    record.isSame = same !== -1;
    if (!record.isSame) previous.keep(bytes, from, nul);
    onRecord(record);
    return textEnd + 1;
  };

  /** Too long for one record: reports its start and drops the rest of that line. */
  const cut = () => {
    const nul = rest.indexOf(0);
    const isSame = previous.endOfSame(rest, 0) !== -1;
    if (nul !== -1) {
      previous.keep(rest, 0, nul);
      onRecord({ bytes: rest, from: 0, nul, end: rest.length, isCut: true, isSame });
    }
    rest = Buffer.alloc(0);
    isSkipping = true;
  };

  return {
    push: (chunk) => {
      let from = 0;
      if (isSkipping) {
        from = chunk.indexOf(newline) + 1;
        if (from === 0) return;
        isSkipping = false;
      }
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (let next = takeOne(bytes, from, false); next !== -1; next = takeOne(bytes, from, false))
        from = next;
      rest = Buffer.from(bytes.subarray(from));
      if (rest.length > maxRecord) cut();
    },
    end: () => {
      for (let from = 0; from !== -1 && from < rest.length; ) from = takeOne(rest, from, true);
      rest = Buffer.alloc(0);
    },
  };
}

interface PathMemory {
  keep(bytes: Buffer, from: number, to: number): void;
  forget(): void;
  /** Where the same path ends, including its NUL, if it is there; otherwise -1. */
  endOfSame(bytes: Buffer, from: number): number;
}

/** Most records belong to the same file as the one before, which is quick to detect. */
function createPathMemory(): PathMemory {
  const kept = Buffer.alloc(4096);
  let length = 0;
  return {
    keep: (bytes, from, to) => {
      length = to - from > kept.length ? 0 : bytes.copy(kept, 0, from, to);
    },
    forget: () => {
      length = 0;
    },
    endOfSame: (bytes, from) => {
      const end = from + length;
      if (length === 0 || bytes[end] !== 0) return -1;
      return bytes.compare(kept, 0, length, from, end) === 0 ? end : -1;
    },
  };
}

function binaryPath(line: string): string | undefined {
  return binaryWords.exec(line)?.[1];
}

/** Every path starts in one of two ways, so a file named like a ripgrep message is still only a name. */
function startsRecord(bytes: Buffer, at: number): boolean {
  if (at >= bytes.length) return true;
  const start = bytes.toString('latin1', at, at + startLength);
  return start === './' || start.startsWith('/');
}

/** Splits `path NUL path NUL …` and passes each path on; keeps the rest for the next chunk. */
export function createPathReader(
  onPath: (bytes: Buffer, from: number, to: number) => void,
): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let nul = bytes.indexOf(0); nul !== -1; nul = bytes.indexOf(0, from)) {
      // A buffer for each of a million paths would cost more than everything else.
      onPath(bytes, from, nul);
      from = nul + 1;
    }
    // No path is that long; without a NUL this is not the expected output.
    rest = bytes.length - from > maxRecord ? Buffer.alloc(0) : Buffer.from(bytes.subarray(from));
  };
}
