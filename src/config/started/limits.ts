import { basename } from 'node:path';
import { shellNames } from './program-files.js';

const maxBinary = 4 * 1024 * 1024;
const maxText = 16 * 1024 * 1024;
const maxTotal = 128 * 1024 * 1024;
/** Each name costs several disk accesses, and agents could write any number of names. */
const maxNames = 30_000;
const maxNamesOfFile = 5_000;
/** For commands and scripts together. Each costs several disk accesses too. */
const maxLines = 2_000;
/** For JavaScript modules. Each is looked up under many names. */
const maxMissing = 10_000;
const textFile = /\.(?:[cm]?[jt]sx?|py)$/i;

/** Bounds the search for what files load, whatever agents write. Each method throws above its limit. */
export interface Limits {
  /** Whether a file is searched for what it loads. Large files that may be binaries are not. */
  isScanned(path: string, bytes: Buffer): boolean;
  countText(text: string): void;
  /** The names in one file, before any of them is looked up. */
  checkNames(path: string, count: number): void;
  countName(): true;
  countLine(): void;
  /** A module that doesn't exist. */
  countMissing(): void;
}

export function createLimits(): Limits {
  let names = 0;
  let lines = 0;
  let missing = 0;
  let scanned = 0;
  return {
    isScanned(path, bytes) {
      const isText =
        textFile.test(path) || shellNames.test(basename(path)) || bytes.toString('latin1', 0, 2) === '#!';
      if (isText && bytes.length > maxText)
        throw new Error(`${path} is larger than 16 MiB, too large to find out what it loads`);
      return isText || bytes.length <= maxBinary;
    },
    countText(text) {
      scanned += text.length;
      if (scanned > maxTotal) throw new Error('its files contain more than 128 MiB of code');
    },
    checkNames(path, count) {
      if (count > maxNamesOfFile)
        throw new Error(`${path} refers to more than ${String(maxNamesOfFile)} other files`);
    },
    countName() {
      names += 1;
      if (names > maxNames) throw new Error(`its files refer to more than ${String(maxNames)} other files`);
      return true;
    },
    countLine() {
      lines += 1;
      if (lines > maxLines) throw new Error(`it runs more than ${String(maxLines)} commands`);
    },
    countMissing() {
      missing += 1;
      if (missing > maxMissing)
        throw new Error(`its files import more than ${String(maxMissing)} modules that don't exist`);
    },
  };
}
