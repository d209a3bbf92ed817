/**
 * Paths are strings here. In a name that is not UTF-8, each byte above 127 becomes a lone surrogate: U+DC80 to U+DCFF.
 */
export function textOfName(name: Buffer): string {
  const text = name.toString('utf8');
  if (Buffer.from(text).equals(name)) return text;
  return Array.from(name, (byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)).join('');
}

export function isOddPath(path: string): boolean {
  return /[\uDC80-\uDCFF]/u.test(path);
}

/** The path in the bytes that the file system expects. */
export function pathForDisk(path: string): string | Buffer {
  if (!isOddPath(path)) return path;
  const bytesOf = (character: string): Buffer =>
    isOddPath(character) ? Buffer.from([character.charCodeAt(0) - 0xdc00]) : Buffer.from(character);
  return Buffer.concat(Array.from(path, bytesOf));
}

/** The path in a readable form. */
export function shownPath(path: string): string {
  return path.replaceAll(/[\uDC80-\uDCFF]/gu, (byte) => `\\x${(byte.charCodeAt(0) - 0xdc00).toString(16)}`);
}
