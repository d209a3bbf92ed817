// The small language that the table of keys is written in.
export type Field = ScalarField | ListField | MapField | RecordField;

export type ScalarField = TextField | IntegerField | BooleanField | ChoiceField | DurationField;

interface Described {
  /** Whole sentences; they become the reference page and what editors show. */
  readonly description: string;
  readonly required?: true;
  /** The key makes sense only beside this other key of the same record. */
  readonly beside?: string;
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
  /** Numbers and booleans are taken as the text they are written as. */
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
  /** Values that people know from elsewhere, and what to tell them. */
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
  /** A value that is no list counts as a list of one. */
  readonly takesOne?: true;
  readonly default?: readonly string[];
}

export type NameRule = 'server' | 'variable' | 'header' | 'profile' | 'principal' | 'client' | 'tool';

/** Entries under names that the writer of the file chooses. */
export interface MapField extends Described {
  readonly kind: 'map';
  readonly names: NameRule;
  readonly of: Field;
  readonly default?: Readonly<Record<string, never>>;
}

/** Entries under the names that the table lists. */
export interface RecordField extends Described {
  readonly kind: 'record';
  readonly fields: Readonly<Record<string, Field>>;
  readonly default?: Readonly<Record<string, never>>;
  /** Other programs own this format: their keys are let pass. */
  readonly isOpen?: true;
  readonly exactlyOne?: readonly [string, string];
  /** What to tell who writes a key that belongs to another format. */
  readonly hints?: Readonly<Record<string, string>>;
}

/** What a field gives once it was read. */
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
