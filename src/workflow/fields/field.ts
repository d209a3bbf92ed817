/** What a string contains, which decides how it is checked. */
export type Holds = 'template' | 'expression' | 'state' | 'command';

interface Common {
  /** One or two sentences for the reference page and for editors. */
  readonly about: string;
  readonly needed?: true;
}

export interface TextField extends Common {
  readonly kind: 'text';
  readonly holds?: Holds;
  readonly values?: readonly string[];
}
export interface FlagField extends Common {
  readonly kind: 'flag';
}
export interface NumberField extends Common {
  readonly kind: 'number' | 'integer';
  readonly least?: number;
  readonly most?: number;
}
/** Milliseconds, read from whole seconds or a string such as `1m30s`. */
export interface DurationField extends Common {
  readonly kind: 'duration';
}
/** Bytes, read from a number or a string such as `10MB`. */
export interface SizeField extends Common {
  readonly kind: 'size';
}
/** Any YAML value. Strings in it may be templates. */
export interface AnyField extends Common {
  readonly kind: 'any';
  readonly holds?: Holds;
}

export type Field =
  | TextField
  | FlagField
  | NumberField
  | DurationField
  | SizeField
  | AnyField
  | { readonly kind: 'list'; readonly about: string; readonly needed?: true; readonly of: Field }
  | {
      readonly kind: 'map';
      readonly about: string;
      readonly needed?: true;
      readonly of: Fields;
      readonly isStrict?: true;
    }
  | { readonly kind: 'record'; readonly about: string; readonly needed?: true; readonly of: Field }
  | {
      readonly kind: 'either';
      readonly about: string;
      readonly needed?: true;
      readonly first: Field;
      readonly second: Field;
    };

export interface Fields {
  readonly [key: string]: Field;
}

/** Type of the value a field is read into. */
export type ValueOf<F> = F extends { readonly kind: 'text' }
  ? string
  : F extends { readonly kind: 'flag' }
    ? boolean
    : F extends { readonly kind: 'number' | 'integer' | 'duration' | 'size' }
      ? number
      : F extends { readonly kind: 'list'; readonly of: infer Of }
        ? readonly ValueOf<Of>[]
        : F extends { readonly kind: 'map'; readonly of: infer Of }
          ? ValuesOf<Of>
          : F extends { readonly kind: 'record'; readonly of: infer Of }
            ? Readonly<Record<string, ValueOf<Of>>>
            : F extends {
                  readonly kind: 'either';
                  readonly first: infer First;
                  readonly second: infer Second;
                }
              ? ValueOf<First> | ValueOf<Second>
              : unknown;

/** Every member is optional: a missing required key has already been reported. */
export type ValuesOf<Of> = { readonly [Key in keyof Of]?: ValueOf<Of[Key]> };
