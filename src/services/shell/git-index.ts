/**
 * Finds the links to other repositories in git's index: git enters those on every `git status`. Commands can write this
 * file, so an index counts only if git can read it in no other way, and every loop is bounded.
 */

/** Git checks no other bits. */
const typeBits = 0o170000;
const linkMode = 0o160000;
/** Represents everything in a folder, links included. */
const folderMode = 0o040000;
const headBytes = 12;
const isExtended = 0x4000;
const longName = 0xfff;
const maxNameBytes = 4096;
const maxLinks = 600;
const maxLinkBytes = 64 * 1024;

interface Reading {
  readonly index: Buffer;
  readonly version: number;
  readonly hashBytes: number;
  /** Where each entry begins that can be read without the previous one; 0 for the others. */
  readonly starts: Uint32Array;
  readonly links: string[];
  linkBytes: number;
  /** The name of the last entry: in version 4, a name begins with a part of the previous one. */
  readonly name: Buffer;
  nameBytes: number;
  at: number;
}

/** The paths of the links, or undefined if the index can't be read completely. */
export function gitlinksIn(index: Buffer): readonly string[] | undefined {
  if (index.length < headBytes || index.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = index.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  // SHA-1 or SHA-256: the index does not say which. If both fit, the links of both count.
  const found = [20, 32].map((hashBytes) => linksAs(index, version, hashBytes));
  const known = found.filter((links) => links !== undefined);
  return known.length === 0 ? undefined : [...new Set(known.flat())];
}

function linksAs(index: Buffer, version: number, hashBytes: number): readonly string[] | undefined {
  const count = index.readUInt32BE(8);
  if (count > index.length / (42 + hashBytes)) return undefined;
  const reading: Reading = {
    index,
    version,
    hashBytes,
    starts: new Uint32Array(count),
    links: [],
    linkBytes: 0,
    name: Buffer.alloc(maxNameBytes),
    nameBytes: 0,
    at: headBytes,
  };
  for (let number = 0; number < count; number += 1) if (!readEntry(reading, number)) return undefined;
  return endsWhole(reading) ? reading.links : undefined;
}

/** False if git does not write such an entry, or if it hides others. */
function readEntry(reading: Reading, number: number): boolean {
  const { index, at, hashBytes, version, starts } = reading;
  const flagsAt = at + 40 + hashBytes;
  if (flagsAt + 4 > index.length) return false;
  const mode = index.readUInt32BE(at + 24) & typeBits;
  const flags = index.readUInt16BE(flagsAt);
  const nameAt = flagsAt + ((flags & isExtended) === 0 ? 2 : 4);
  const kept = version === 4 ? readKept(reading, nameAt) : { bytes: 0, from: nameAt };
  starts[number] = kept.bytes === 0 ? at : 0;
  // Git uses the length in the flags, not the end of the name, so the two must agree.
  if (!readName(reading, kept.from, kept.bytes)) return false;
  if ((flags & longName) !== Math.min(reading.nameBytes, longName)) return false;
  if (version !== 4) reading.at = at + Math.ceil((reading.at - at) / 8) * 8;
  return mode === linkMode ? addLink(reading) : mode !== folderMode;
}

/** Appends the rest of a name to the part kept from the previous one. */
function readName(reading: Reading, from: number, kept: number): boolean {
  const { index, name } = reading;
  if (kept < 0) return false;
  let at = from;
  let length = kept;
  for (let byte = index[at]; byte !== 0; byte = index[at]) {
    if (byte === undefined || length === maxNameBytes) return false;
    name[length] = byte;
    length += 1;
    at += 1;
  }
  reading.nameBytes = length;
  reading.at = at + 1;
  return length > 0;
}

/** In version 4, a name says how many bytes to cut from the end of the previous one. */
function readKept({ index, nameBytes }: Reading, at: number) {
  let from = at;
  let byte = index[from++] ?? 0;
  let cut = byte & 0x7f;
  while ((byte & 0x80) !== 0 && cut <= nameBytes) {
    byte = index[from++] ?? 0;
    cut = (cut + 1) * 128 + (byte & 0x7f);
  }
  return { bytes: nameBytes - cut, from };
}

function addLink(reading: Reading): boolean {
  const { links, name, nameBytes } = reading;
  const bytes = name.subarray(0, nameBytes);
  const link = bytes.toString('utf8');
  reading.linkBytes += nameBytes;
  if (links.length === maxLinks || reading.linkBytes > maxLinkBytes) return false;
  links.push(link);
  // Paths are strings here, so a name that is not UTF-8 can't be checked.
  return Buffer.from(link).equals(bytes) && isPlainPath(link);
}

/** Git writes no other names. With `..`, a link could lead out of the work tree. */
function isPlainPath(link: string): boolean {
  return link.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}

/** Extensions and a hash follow the entries. A lower-case extension says that there are entries elsewhere. */
function endsWhole({ index, at: from, hashBytes, starts }: Reading): boolean {
  const end = index.length - hashBytes;
  const mark = end - 12 - hashBytes;
  // An EOIE mark at the end says where the extensions begin, and git relies on it.
  if (mark >= from && nameAt(index, mark) === 'EOIE' && index.readUInt32BE(mark + 8) !== from) return false;
  let at = from;
  while (at + 8 <= end) {
    const length = index.readUInt32BE(at + 4);
    if (!/^[A-Z]/.test(nameAt(index, at)) || at + 8 + length > end) return false;
    if (nameAt(index, at) === 'IEOT' && !isTableOf(starts, index.subarray(at + 8, at + 8 + length)))
      return false;
    at += 8 + length;
  }
  return at === end;
}

/** For many entries, git reads blocks in parallel: this table says where each block begins. */
function isTableOf(starts: Uint32Array, rows: Buffer): boolean {
  if (rows.length < 12 || rows.length % 8 !== 4) return false;
  let number = 0;
  for (let row = 4; row < rows.length; row += 8) {
    if (starts[number] !== rows.readUInt32BE(row)) return false;
    number += rows.readUInt32BE(row + 4);
  }
  return number === starts.length;
}

function nameAt(index: Buffer, at: number): string {
  return index.toString('latin1', at, at + 4);
}
