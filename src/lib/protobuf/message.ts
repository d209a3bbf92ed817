// Builders for protobuf message tables. Bytes and TypeScript types are both derived from the tables.

export type Scalar = 'string' | 'bytes' | 'bool' | 'int32' | 'uint32' | 'int64' | 'uint64';

export interface Field {
  readonly number: number;
  readonly of: Scalar | Message;
  /** `map`: keys are strings. */
  readonly shape: 'one' | 'many' | 'map';
}

export interface Message {
  readonly fields: Readonly<Record<string, Field>>;
}

interface ScalarValues {
  readonly string: string;
  readonly bytes: Uint8Array;
  readonly bool: boolean;
  readonly int32: number;
  readonly uint32: number;
  readonly int64: bigint;
  readonly uint64: bigint;
}

type OneOf<Of> = Of extends Scalar ? ScalarValues[Of] : Of extends Message ? ValueOf<Of> : never;

type FieldValue<F extends Field> = F['shape'] extends 'many'
  ? readonly OneOf<F['of']>[]
  : F['shape'] extends 'map'
    ? ReadonlyMap<string, OneOf<F['of']>>
    : F['of'] extends Message
      ? OneOf<F['of']> | undefined
      : OneOf<F['of']>;

/** A decoded message: every field is set, with the default of its type if it was not sent. */
export type ValueOf<M extends Message> = {
  readonly [Name in keyof M['fields']]: FieldValue<M['fields'][Name]>;
};

export function message<const Fields extends Readonly<Record<string, Field>>>(
  fields: Fields,
): { readonly fields: Fields } {
  return { fields };
}

export function one<const Of extends Scalar | Message>(
  number: number,
  of: Of,
): { readonly number: number; readonly of: Of; readonly shape: 'one' } {
  return { number, of, shape: 'one' };
}

export function many<const Of extends Scalar | Message>(
  number: number,
  of: Of,
): { readonly number: number; readonly of: Of; readonly shape: 'many' } {
  return { number, of, shape: 'many' };
}

export function mapOf<const Of extends Scalar>(
  number: number,
  of: Of,
): { readonly number: number; readonly of: Of; readonly shape: 'map' } {
  return { number, of, shape: 'map' };
}
