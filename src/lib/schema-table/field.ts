// The types that schema tables are written in. One table gives the reader, the JSON Schema and the reference page.

/** The words that the tables of one kind of file may use. */
export interface Words {
  /** Formats of a text, which decide how it is checked. */
  readonly format: string;
  /** Rules for names that the author of the file chooses. */
  readonly names: string;
  /** What a text contains that is checked after the whole file has been read. */
  readonly holds: string;
  /** Risk classes of keys. */
  readonly risk: string;
}

export type Field<W extends Words = Words> =
  | ScalarField<W>
  | AnyField<W>
  | ListField<W>
  | MapField<W>
  | RecordField<W>
  | EitherField<W>;

export type ScalarField<W extends Words = Words> =
  | TextField<W>
  | NumberField<W>
  | BooleanField<W>
  | ChoiceField<W>
  | DurationField<W>
  | SizeField<W>;

export type Fields<W extends Words = Words> = Readonly<Record<string, Field<W>>>;

interface Described<W extends Words> {
  /** Full sentences. They appear in the reference page and in editors. */
  readonly description: string;
  readonly required?: true;
  /** The key is allowed only together with this other key of the same record. */
  readonly beside?: string;
  /** Only for keys that hold a scalar, or a list or map of scalars. */
  readonly risk?: W['risk'];
  /** Shown next to the value where a person decides whether to trust the file. */
  readonly riskNote?: string;
}

export interface TextField<W extends Words = Words> extends Described<W> {
  readonly kind: 'text';
  /** Default: `any`. */
  readonly format?: W['format'];
  readonly holds?: W['holds'];
  /** Accept numbers and booleans as the text they are written as. */
  readonly takesScalars?: true;
  readonly default?: string;
}

export interface NumberField<W extends Words = Words> extends Described<W> {
  readonly kind: 'integer' | 'number';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}

export interface BooleanField<W extends Words = Words> extends Described<W> {
  readonly kind: 'boolean';
  /** Accept the YAML 1.1 words yes, no, on and off. */
  readonly takesWords?: true;
  readonly default?: boolean;
}

export interface ChoiceField<W extends Words = Words> extends Described<W> {
  readonly kind: 'choice';
  readonly choices: readonly string[];
  /** Compare numbers and booleans as the text they are written as. */
  readonly takesScalars?: true;
  /** Values that other programs support, with the error to report for them. */
  readonly unsupported?: Readonly<Record<string, { readonly message: string; readonly remedy: string }>>;
  readonly default?: string;
}

/** Read into milliseconds. */
export interface DurationField<W extends Words = Words> extends Described<W> {
  readonly kind: 'duration';
  /** In milliseconds. Default: 0. */
  readonly minimum?: number;
  /** How it is written. Default: `simple`. See `duration.ts`. */
  readonly notation?: DurationNotation;
  readonly default?: string;
}

export type DurationNotation = 'simple' | 'compound';

/** Bytes, read from a number or a string such as `10MB`. */
export interface SizeField<W extends Words = Words> extends Described<W> {
  readonly kind: 'size';
  readonly default?: number;
}

/** Any value, read as plain data. */
export interface AnyField<W extends Words = Words> extends Described<W> {
  readonly kind: 'any';
  readonly holds?: W['holds'];
  readonly default?: never;
}

export interface ListField<W extends Words = Words> extends Described<W> {
  readonly kind: 'list';
  readonly of: Field<W>;
  /** Accept a single value as a list with one item. */
  readonly takesOne?: true;
  readonly default?: readonly string[];
}

/** Entries under names that the author of the file chooses. */
export interface MapField<W extends Words = Words> extends Described<W> {
  readonly kind: 'map';
  /** If omitted, every name is allowed. */
  readonly names?: W['names'];
  readonly of: Field<W>;
  /** Read into a plain object instead of a Map. */
  readonly isPlain?: true;
  readonly default?: Readonly<Record<string, never>>;
}

/** Entries under fixed names. */
export interface RecordField<W extends Words = Words> extends Described<W> {
  readonly kind: 'record';
  readonly fields: Fields<W>;
  readonly default?: Readonly<Record<string, never>>;
  /** Overrides the default of the language, for this record only. */
  readonly unknownKeys?: UnknownKeys;
  readonly exactlyOne?: readonly [string, string];
  /** Remedies for keys that belong to other formats. */
  readonly hints?: Readonly<Record<string, string>>;
}

/** `accept`: not reported, because other programs own the format. */
export type UnknownKeys = 'refuse' | 'warn' | 'accept';

/** The first field reads values of its kind, the second one everything else. */
export interface EitherField<W extends Words = Words> extends Described<W> {
  readonly kind: 'either';
  readonly first: Field<W>;
  readonly second: Field<W>;
  readonly default?: never;
}

/**
 * How records are read. `complete`: defaults are filled in, and a record without a required key is left out. `partial`:
 * every key is optional, so that later checks still see the valid keys of an invalid record.
 */
export type Reading = 'complete' | 'partial';

/** The type of the value that a field is read into. */
export type ValueOf<F, R extends Reading = 'complete'> = F extends { readonly kind: 'text' }
  ? string
  : F extends { readonly kind: 'integer' | 'number' | 'duration' | 'size' }
    ? number
    : F extends { readonly kind: 'boolean' }
      ? boolean
      : F extends { readonly kind: 'choice'; readonly choices: readonly (infer C)[] }
        ? C
        : F extends { readonly kind: 'list'; readonly of: infer I }
          ? readonly ValueOf<I, R>[]
          : F extends { readonly kind: 'map'; readonly isPlain: true; readonly of: infer I }
            ? Readonly<Record<string, ValueOf<I, R>>>
            : F extends { readonly kind: 'map'; readonly of: infer I }
              ? ReadonlyMap<string, ValueOf<I, R>>
              : F extends { readonly kind: 'record'; readonly fields: infer T }
                ? ValuesOf<T, R>
                : F extends { readonly kind: 'either'; readonly first: infer A; readonly second: infer B }
                  ? ValueOf<A, R> | ValueOf<B, R>
                  : unknown;

/** The type of the values that the keys of a record are read into. */
export type ValuesOf<T, R extends Reading> = R extends 'partial'
  ? { readonly [K in keyof T]?: ValueOf<T[K], R> }
  : { readonly [K in keyof T]: PresentValue<T[K], R> };

type PresentValue<F, R extends Reading> = F extends
  | { readonly default: unknown }
  | { readonly required: true }
  ? ValueOf<F, R>
  : ValueOf<F, R> | undefined;
