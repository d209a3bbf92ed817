/** What git's index says of other repositories inside a work tree: git enters those by itself, for every `git status`. */

const linkMode = 0o160000;
const headBytes = 12;
const isExtended = 0x4000;

interface Shape {
  readonly version: number;
  readonly hashBytes: number;
}

interface Entry {
  readonly mode: number;
  readonly name: string;
  readonly next: number;
}

/** The paths of the links, or undefined when the index is of a form that cannot be read as a whole. */
export function gitlinksIn(index: Buffer): readonly string[] | undefined {
  if (index.length < headBytes || index.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = index.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  // SHA-1, or SHA-256: the index does not say which.
  return linksAs(index, { version, hashBytes: 20 }) ?? linksAs(index, { version, hashBytes: 32 });
}

function linksAs(index: Buffer, shape: Shape): readonly string[] | undefined {
  const links: string[] = [];
  const count = index.readUInt32BE(8);
  let at = headBytes;
  let name = '';
  for (let number = 0; number < count; number += 1) {
    const entry = entryAt(index, at, shape, name);
    if (entry === undefined) return undefined;
    if (entry.mode === linkMode) links.push(Buffer.from(entry.name, 'latin1').toString('utf8'));
    at = entry.next;
    name = entry.name;
  }
  return endsWhole(index, at, shape.hashBytes) ? links : undefined;
}

function entryAt(index: Buffer, at: number, shape: Shape, before: string): Entry | undefined {
  const flagsAt = at + 40 + shape.hashBytes;
  if (flagsAt + 2 > index.length) return undefined;
  const mode = index.readUInt32BE(at + 24);
  const nameAt = flagsAt + ((index.readUInt16BE(flagsAt) & isExtended) === 0 ? 2 : 4);
  if (shape.version === 4) return { mode, ...shortened(index, nameAt, before) };
  const end = index.indexOf(0, nameAt);
  if (end === -1) return undefined;
  const name = index.toString('latin1', nameAt, end);
  return { mode, name, next: at + Math.ceil((end + 1 - at) / 8) * 8 };
}

/** In version 4 a name says how much of the end of the one before it does not share. */
function shortened(
  index: Buffer,
  at: number,
  before: string,
): { readonly name: string; readonly next: number } {
  let position = at;
  let byte = index[position++] ?? 0;
  let cut = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = index[position++] ?? 0;
    cut = (cut + 1) * 128 + (byte & 0x7f);
  }
  const end = index.indexOf(0, position);
  const kept = before.slice(0, Math.max(0, before.length - cut));
  // Without an end the position is beyond the file, and what follows is found to be no entry.
  if (end === -1) return { name: kept, next: index.length };
  return { name: kept + index.toString('latin1', position, end), next: end + 1 };
}

/** After the entries come extensions and a hash. One of them says that the entries are in another file. */
function endsWhole(index: Buffer, from: number, hashBytes: number): boolean {
  let at = from;
  const end = index.length - hashBytes;
  while (at + 8 <= end) {
    if (index.toString('latin1', at, at + 4) === 'link') return false;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return at === end;
}
