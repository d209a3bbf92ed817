import { statSync } from 'node:fs';
import { digestOf, isInside } from '../../workflow/index.js';

/** More than any real workflow needs, and little space in the record. */
const mostParts = 500;

/** Size and hash of the files in the workspace, which agents can write. Folders and packages are left out. */
export function partsOf(
  files: readonly string[],
  roots: readonly string[],
): Readonly<Record<string, string>> {
  const parts: Record<string, string> = {};
  for (const file of files.filter((one) => isInside(one, roots)).slice(0, mostParts)) {
    const size = sizeOf(file);
    if (size !== undefined) parts[file] = partOf(file, size);
  }
  return parts;
}

/**
 * Whether a file differs from the trusted one. Only if none does is it worth searching what they load: agents could
 * write files whose search takes minutes.
 */
export function hasChangedPart(parts: Readonly<Record<string, string>>): boolean {
  return Object.entries(parts).some(([file, known]) => {
    const size = sizeOf(file);
    // A large file is not read if its size differs.
    return size === undefined || !known.startsWith(`${String(size)} `) || partOf(file, size) !== known;
  });
}

function partOf(file: string, size: number): string {
  try {
    return `${String(size)} ${digestOf(file).toString('hex')}`;
  } catch {
    // Removed or not readable: differs from every known file.
    return `${String(size)} `;
  }
}

function sizeOf(file: string): number | undefined {
  try {
    const facts = statSync(file, { throwIfNoEntry: false });
    return facts?.isFile() === true ? facts.size : undefined;
  } catch {
    // A parent of the path is a file.
    return undefined;
  }
}
