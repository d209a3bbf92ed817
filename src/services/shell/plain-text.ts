const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

// Each alternative ends at the next ESC at the latest, so that matching takes linear time on any text.
// CSI; OSC; DCS, SOS, PM and APC; and sequences of two or three bytes.
const escapes =
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[PX^_][^\u001B]*\u001B\\|[ -/]*[0-~])/g;
const controls = /[\u0001-\u0008\u000B\u000C\u000E-\u001F\u007F]/g;

/** Decodes bytes as text: replaces invalid UTF-8, and removes escape sequences and control characters. */
export function plainText(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  return text.replace(escapes, '').replace(controls, '').replaceAll('\0', '\uFFFD');
}

/** Drops the rest of a character at the beginning. */
export function fromCharacter(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 3 && isInner(bytes[start])) start += 1;
  return bytes.subarray(start);
}

/** Drops an incomplete character at the end. */
export function toCharacter(bytes: Uint8Array): Uint8Array {
  let last = bytes.length - 1;
  while (last >= 0 && last > bytes.length - 4 && isInner(bytes[last])) last -= 1;
  const lead = bytes[last] ?? 0;
  const width = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return last + width > bytes.length ? bytes.subarray(0, last) : bytes;
}

function isInner(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** The first characters, without splitting a surrogate pair. */
export function firstOf(text: string, length: number): string {
  return isPair(text, length) ? text.slice(0, length - 1) : text.slice(0, length);
}

/** The last characters, without splitting a surrogate pair. */
export function lastOf(text: string, length: number): string {
  const start = Math.max(0, text.length - length);
  return isPair(text, start) ? text.slice(start + 1) : text.slice(start);
}

function isPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
