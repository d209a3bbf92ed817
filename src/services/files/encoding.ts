import { isUtf8 } from 'node:buffer';
import type { Encoding } from '../../ports/files.js';
import { isWellFormed } from './names.js';

/**
 * A text in the units of its encoding, one string character each: a byte of UTF-8 or Latin-1, or 16 bits of
 * UTF-16. Lossless for any content; `\n` and `\r` are the same in every encoding.
 */
export type Units = string;

export interface Stored {
  readonly encoding: Encoding;
  readonly hasBom: boolean;
  /** Without the byte order mark. */
  readonly units: Units;
  /** Half a unit at the end of a broken UTF-16 file. */
  readonly tail: Buffer;
}

interface Mark {
  readonly encoding: Encoding;
  readonly bytes: readonly number[];
}

const marks: readonly Mark[] = [
  { encoding: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf-16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf-16be', bytes: [0xfe, 0xff] },
];

export interface EncodingFacts {
  readonly encoding: Encoding;
  /** The length of the byte order mark; 0 without one. */
  readonly markLength: number;
}

/**
 * Decided by the byte order mark. Without one: UTF-8 if the bytes are valid or nearly valid UTF-8, otherwise
 * Latin-1.
 */
export function detectEncoding(head: Buffer, isWhole: boolean): EncodingFacts {
  const mark = marks.find(({ bytes }) => bytes.every((byte, index) => head[index] === byte));
  if (mark) return { encoding: mark.encoding, markLength: mark.bytes.length };
  const bytes = isWhole ? head : withoutHalf(head);
  return { encoding: isUtf8(bytes) || isNearlyUtf8(bytes) ? 'utf-8' : 'latin1', markLength: 0 };
}

/** More multi-byte UTF-8 characters than invalid bytes: UTF-8 with a few broken places. */
function isNearlyUtf8(bytes: Buffer): boolean {
  const text = bytes.toString('utf8');
  const broken = text.split('\ufffd').length - 1;
  return (text.match(/[\u0080-\ufffc]/g) ?? []).length > broken;
}

/** Drops bytes at the end that may be the start of a character. */
export function withoutHalf(head: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, head.length); back += 1) {
    const byte = head[head.length - back] ?? 0;
    if (byte >= 0xc0) return head.subarray(0, head.length - back);
    if (byte < 0x80) return head;
  }
  return head;
}

export function isWide(encoding: Encoding): boolean {
  return encoding === 'utf-16le' || encoding === 'utf-16be';
}

export function toStored(bytes: Buffer, facts: EncodingFacts = detectEncoding(bytes, true)): Stored {
  const { encoding, markLength } = facts;
  const body = bytes.subarray(markLength);
  const isOdd = isWide(encoding) && body.length % 2 === 1;
  const whole = isOdd ? body.subarray(0, -1) : body;
  return {
    encoding,
    hasBom: markLength > 0,
    units: unitsOf(whole, encoding),
    tail: isOdd ? body.subarray(-1) : empty,
  };
}

export function toBytes({ encoding, hasBom, units, tail }: Stored): Buffer {
  const mark = hasBom ? marks.find((one) => one.encoding === encoding) : undefined;
  return Buffer.concat([Buffer.from(mark?.bytes ?? []), bytesOf(units, encoding), tail]);
}

const empty = Buffer.alloc(0);

function unitsOf(bytes: Buffer, encoding: Encoding): Units {
  if (encoding === 'utf-16le') return bytes.toString('utf16le');
  if (encoding === 'utf-16be') return Buffer.from(bytes).swap16().toString('utf16le');
  return bytes.toString('latin1');
}

function bytesOf(units: Units, encoding: Encoding): Buffer {
  if (encoding === 'utf-16le') return Buffer.from(units, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(units, 'utf16le').swap16();
  return Buffer.from(units, 'latin1');
}

/** Undefined if the encoding cannot represent a character of the text. */
export function encode(text: string, encoding: Encoding): Units | undefined {
  if (isWide(encoding)) return text;
  if (encoding === 'latin1') return /^[\0-\xff]*$/.test(text) ? text : undefined;
  return isWellFormed(text) ? Buffer.from(text, 'utf8').toString('latin1') : undefined;
}

/** For display. Invalid bytes in a UTF-8 file are shown as Latin-1. */
export function decode(units: Units, encoding: Encoding): string {
  return isWide(encoding) ? units : decodeBytes(Buffer.from(units, 'latin1'), encoding);
}

export function decodeBytes(bytes: Buffer, encoding: Encoding): string {
  if (isWide(encoding)) return unitsOf(bytes, encoding);
  return bytes.toString(encoding === 'utf-8' && isUtf8(bytes) ? 'utf8' : 'latin1');
}
