// The types that the tables of config keys are written in.
export type Field = ScalarField | ListField | MapField | RecordField;

export type ScalarField = TextField | IntegerField | BooleanField | ChoiceField | DurationField;

/** What a key can do to the operator who trusts the file. The trust screen does not show keys with `none`. */
export type Risk = 'starts' | 'files' | 'sends' | 'secret' | 'defence' | 'access' | 'none';

interface Described {
  /** Full sentences. They appear in the reference page and in editors. */
  readonly description: string;
  readonly required?: true;
  /** The key is allowed only together with this other key of the same record. */
  readonly beside?: string;
  /** Only for keys that hold a scalar, or a list or map of scalars. */
  readonly risk?: Risk;
  /** Shown by `tidegate trust` below the values. */
  readonly riskNote?: string;
}

export type TextFormat =
  | 'any'
  | 'path'
  | 'command'
  | 'url'
  | 'database'
  | 'host'
  | 'name'
  | 'prefix'
  | 'pattern'
  | 'header';

export interface TextField extends Described {
  readonly kind: 'text';
  readonly format: TextFormat;
  /** Accept numbers and booleans as the text they are written as. */
  readonly takesScalars?: true;
  readonly default?: string;
}

export interface IntegerField extends Described {
  readonly kind: 'integer';
  readonly minimum: number;
  readonly maximum: number;
  readonly default?: number;
}

export interface BooleanField extends Described {
  readonly kind: 'boolean';
  readonly default?: boolean;
}

export interface ChoiceField extends Described {
  readonly kind: 'choice';
  readonly choices: readonly string[];
  /** Values that other programs support, with the error to report for them. */
  readonly unsupported?: Readonly<Record<string, { readonly message: string; readonly remedy: string }>>;
  readonly default?: string;
}

export interface DurationField extends Described {
  readonly kind: 'duration';
  /** In milliseconds. */
  readonly minimum: number;
  readonly default?: string;
}

export interface ListField extends Described {
  readonly kind: 'list';
  readonly of: Field;
  /** Accept a single value as a list with one item. */
  readonly takesOne?: true;
  readonly default?: readonly string[];
}

export type NameRule =
  | 'server'
  | 'variable'
  | 'header'
  | 'profile'
  | 'principal'
  | 'client'
  | 'tool'
  | 'workflow';

/** Entries under names that the author of the file chooses. */
export interface MapField extends Described {
  readonly kind: 'map';
  readonly names: NameRule;
  readonly of: Field;
  readonly default?: Readonly<Record<string, never>>;
}

/** Entries under fixed names. */
export interface RecordField extends Described {
  readonly kind: 'record';
  readonly fields: Readonly<Record<string, Field>>;
  readonly default?: Readonly<Record<string, never>>;
  /** Accept unknown keys, because other programs own this format. */
  readonly isOpen?: true;
  readonly exactlyOne?: readonly [string, string];
  /** Remedies for keys that belong to other formats. */
  readonly hints?: Readonly<Record<string, string>>;
}

/** The type of the value that a field reads to. */
export type ValueOf<F extends Field> = F extends { readonly kind: 'text' }
  ? string
  : F extends { readonly kind: 'integer' | 'duration' }
    ? number
    : F extends { readonly kind: 'boolean' }
      ? boolean
      : F extends { readonly kind: 'choice'; readonly choices: readonly (infer C)[] }
        ? C
        : F extends { readonly kind: 'list'; readonly of: infer I extends Field }
          ? readonly ValueOf<I>[]
          : F extends { readonly kind: 'map'; readonly of: infer I extends Field }
            ? ReadonlyMap<string, ValueOf<I>>
            : F extends { readonly kind: 'record'; readonly fields: infer R }
              ? RecordValue<R>
              : never;

type RecordValue<R> = { readonly [K in keyof R]: R[K] extends Field ? PresentValue<R[K]> : never };

type PresentValue<F extends Field> = F extends { readonly default: unknown } | { readonly required: true }
  ? ValueOf<F>
  : ValueOf<F> | undefined;

/** Identity that keeps the exact types of a table. */
export function defineRecord<const F extends RecordField>(field: F): F {
  return field;
}

/** Like `defineRecord`, but a key without a risk class is a compile error that names the key. */
export function defineClassified<const F extends RecordField>(
  field: F & ([Unclassified<F>] extends [never] ? unknown : { readonly keyWithoutRisk: Unclassified<F> }),
): F {
  return field;
}

/** The paths of all keys that hold a value but have no risk class. */
type Unclassified<F, P extends string = ''> = F extends { readonly risk: Risk }
  ? never
  : F extends { readonly kind: 'record'; readonly fields: infer R }
    ? { [K in keyof R & string]: Unclassified<R[K], P extends '' ? K : `${P}.${K}`> }[keyof R & string]
    : F extends { readonly kind: 'list' | 'map'; readonly of: infer I }
      ? Unclassified<I, `${P}.*`>
      : P;
