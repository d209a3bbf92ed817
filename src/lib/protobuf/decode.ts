import type { Field, Message, Scalar, ValueOf } from './message.js';

/** The bytes are not a valid message. */
export class Malformed extends Error {}

/** Decodes a message. Unknown fields are skipped; any other problem throws `Malformed`. */
export function decodeMessage<M extends Message>(table: M, bytes: Uint8Array): ValueOf<M> {
  // `readMessage` returns exactly the types in the table.
  return readMessage(table, createReader(bytes, { left: mostFields })) as ValueOf<M>;
}

/** A two-byte field costs a hundred times its size to decode, so a size limit alone is not enough. */
const mostFields = 100_000;

/** Shared by a message and its nested messages. */
interface Budget {
  left: number;
}

interface Reader {
  readonly budget: Budget;
  isAtEnd(): boolean;
  varint(): bigint;
  block(): Uint8Array;
  skip(wireType: number): void;
}

const wire = { varint: 0, fixed64: 1, block: 2, fixed32: 5 } as const;

function readMessage(table: Message, reader: Reader): Readonly<Record<string, unknown>> {
  const byNumber = new Map(Object.entries(table.fields).map((entry) => [entry[1].number, entry]));
  const value: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(table.fields)) value[name] = emptyOf(field);
  while (!reader.isAtEnd()) {
    reader.budget.left -= 1;
    if (reader.budget.left < 0) throw new Malformed(`the message has more than ${mostFields} fields`);
    const tag = Number(reader.varint() & 0xffff_ffffn);
    const known = byNumber.get(tag >>> 3);
    if (tag >>> 3 === 0) throw new Malformed('a field has number 0');
    if (known === undefined) reader.skip(tag & 7);
    else {
      const [name, field] = known;
      if ((tag & 7) !== wireTypeOf(field)) throw new Malformed(`${name} has the wrong wire type`);
      value[name] = readField(field, reader, value[name]);
    }
  }
  return value;
}

function emptyOf({ shape, of }: Field): unknown {
  if (shape === 'many') return [];
  if (shape === 'map') return new Map();
  return typeof of === 'string' ? defaults[of] : undefined;
}

const defaults: Readonly<Record<Scalar, unknown>> = {
  string: '',
  bytes: new Uint8Array(0),
  bool: false,
  int32: 0,
  uint32: 0,
  int64: 0n,
  uint64: 0n,
};

function wireTypeOf({ shape, of }: Field): number {
  const isBlock = shape === 'map' || typeof of !== 'string' || of === 'string' || of === 'bytes';
  return isBlock ? wire.block : wire.varint;
}

function readField(field: Field, reader: Reader, before: unknown): unknown {
  if (field.shape === 'many') {
    // Created by `emptyOf` for this message.
    (before as unknown[]).push(readOne(field.of, reader));
    return before;
  }
  if (field.shape === 'one') return readOne(field.of, reader);
  const entry = { fields: { key: stringKey, value: { ...field, number: 2, shape: 'one' } } } as const;
  const { key, value } = readMessage(entry, createReader(reader.block(), reader.budget));
  return (before as Map<unknown, unknown>).set(key, value);
}

const stringKey: Field = { number: 1, of: 'string', shape: 'one' };

function readOne(of: Field['of'], reader: Reader): unknown {
  if (typeof of !== 'string') return readMessage(of, createReader(reader.block(), reader.budget));
  if (of === 'bytes') return reader.block();
  if (of === 'string') {
    return readText(reader.block());
  }
  return numberOf(of, reader.varint());
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Not shared with lines.ts: a plugin process should not load other parts of the gateway. */
export function readText(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    throw new Malformed('a string is not valid UTF-8');
  }
}

function numberOf(of: Exclude<Scalar, 'string' | 'bytes'>, bits: bigint): unknown {
  if (of === 'bool') return bits !== 0n;
  if (of === 'int32') return Number(BigInt.asIntN(32, bits));
  if (of === 'uint32') return Number(BigInt.asUintN(32, bits));
  return of === 'int64' ? BigInt.asIntN(64, bits) : BigInt.asUintN(64, bits);
}

function createReader(bytes: Uint8Array, budget: Budget): Reader {
  let at = 0;
  const take = (count: number): Uint8Array => {
    if (count > bytes.length - at) throw new Malformed('the message is truncated');
    at += count;
    return bytes.subarray(at - count, at);
  };
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const [byte = 0] = take(1);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new Malformed('a varint is too long');
  };
  const block = (): Uint8Array => take(Number(varint()));
  return {
    budget,
    isAtEnd: () => at >= bytes.length,
    varint,
    block,
    skip(wireType) {
      if (wireType === wire.varint) varint();
      else if (wireType === wire.fixed64) take(8);
      else if (wireType === wire.block) block();
      else if (wireType === wire.fixed32) take(4);
      else throw new Malformed(`a field has unknown wire type ${wireType}`);
    },
  };
}
