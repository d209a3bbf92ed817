const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

// Each alternative ends at the next ESC at the latest, so that reading takes as long as the text, whatever it holds.
// CSI; OSC; DCS, SOS, PM and APC; and those of two or three bytes.
const escapes =
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[PX^_][^\u001B]*\u001B\\|[ -/]*[0-~])/g;
const controls = /[\u0001-\u0008\u000B\u000C\u000E-\u001F\u007F]/g;

/** Bytes as text: what is no UTF-8 is replaced, escape sequences and control characters are left out. */
export function plainText(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  return text.replace(escapes, '').replace(controls, '').replaceAll('\0', '\uFFFD');
}

/** Without the rest of a character at the beginning. */
export function fromCharacter(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 3 && isInner(bytes[start])) start += 1;
  return bytes.subarray(start);
}

/** Without the part of a character at the end. */
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

/** The first characters, never half of a pair. */
export function firstOf(text: string, length: number): string {
  return isPair(text, length) ? text.slice(0, length - 1) : text.slice(0, length);
}

/** The last characters, never half of a pair. */
export function lastOf(text: string, length: number): string {
  const start = Math.max(0, text.length - length);
  return isPair(text, start) ? text.slice(start + 1) : text.slice(start);
}

function isPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
