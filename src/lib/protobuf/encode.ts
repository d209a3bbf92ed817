import type { Field, Message, Scalar, ValueOf } from './message.js';

const utf8 = new TextEncoder();
const lengthDelimited = 2;

/** Encodes a message. Fields with default values are omitted, as proto3 requires. */
export function encodeMessage<M extends Message>(table: M, value: Partial<ValueOf<M>>): Uint8Array {
  const writer = createWriter();
  writeMessage(writer, table, value);
  return writer.bytes();
}

interface Writer {
  varint(value: bigint | number): void;
  raw(bytes: Uint8Array): void;
  bytes(): Uint8Array;
}

function writeMessage(writer: Writer, { fields }: Message, value: Readonly<Record<string, unknown>>): void {
  for (const [name, field] of Object.entries(fields)) {
    const given = value[name];
    if (given !== undefined) writeField(writer, field, given);
  }
}

// `encodeMessage` checks the field types; the casts below repeat them.
function writeField(writer: Writer, field: Field, given: unknown): void {
  if (field.shape === 'many') for (const each of given as readonly unknown[]) writeOne(writer, field, each);
  else if (field.shape === 'map')
    for (const [key, each] of given as ReadonlyMap<string, unknown>) writeEntry(writer, field, key, each);
  else if (typeof field.of !== 'string' || !isDefault(given)) writeOne(writer, field, given);
}

function isDefault(value: unknown): boolean {
  if (value instanceof Uint8Array) return value.length === 0;
  return value === '' || value === 0 || value === 0n || value === false;
}

function writeOne(writer: Writer, { number, of }: Field, value: unknown): void {
  if (typeof of !== 'string') return writeBlock(writer, number, encodeMessage(of, value as object));
  if (of === 'string') return writeBlock(writer, number, utf8.encode(value as string));
  if (of === 'bytes') return writeBlock(writer, number, value as Uint8Array);
  writer.varint(number << 3);
  writer.varint(varintOf(of, value as bigint | number | boolean));
}

/** A map entry is a message with the key as field 1 and the value as field 2. */
function writeEntry(writer: Writer, { number, of }: Field, key: string, value: unknown): void {
  const entry = createWriter();
  writeBlock(entry, 1, utf8.encode(key));
  writeOne(entry, { number: 2, of, shape: 'one' }, value);
  writeBlock(writer, number, entry.bytes());
}

function writeBlock(writer: Writer, number: number, bytes: Uint8Array): void {
  writer.varint((number << 3) | lengthDelimited);
  writer.varint(bytes.length);
  writer.raw(bytes);
}

/** Negative numbers of any width are encoded as 64 bits, in ten bytes. */
function varintOf(of: Scalar, value: bigint | number | boolean): bigint | number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (of === 'uint32' && typeof value === 'number') return value >>> 0;
  return value < 0 ? BigInt.asUintN(64, BigInt(value)) : value;
}

function createWriter(): Writer {
  let buffer = new Uint8Array(256);
  let length = 0;
  const reserve = (more: number): void => {
    if (length + more <= buffer.length) return;
    const larger = new Uint8Array(Math.max(2 * buffer.length, length + more));
    larger.set(buffer.subarray(0, length));
    buffer = larger;
  };
  return {
    varint(value) {
      reserve(10);
      let rest = BigInt(value);
      for (; rest > 0x7fn; rest >>= 7n) buffer[length++] = Number(rest & 0x7fn) | 0x80;
      buffer[length++] = Number(rest);
    },
    raw(bytes) {
      reserve(bytes.length);
      buffer.set(bytes, length);
      length += bytes.length;
    },
    bytes: () => buffer.subarray(0, length),
  };
}
