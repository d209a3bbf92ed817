// The words of the configuration tables, and the functions that check a table when it is compiled.
import type * as table from '../lib/schema-table/field.js';

/** What a key can do to the operator who trusts the file. The trust screen does not show keys with `none`. */
export type Risk = 'starts' | 'files' | 'sends' | 'secret' | 'defence' | 'access' | 'none';

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

export type NameWord =
  | 'server'
  | 'variable'
  | 'header'
  | 'profile'
  | 'principal'
  | 'client'
  | 'tool'
  | 'workflow';

interface ConfigWords extends table.Words {
  readonly format: TextFormat;
  readonly names: NameWord;
  readonly holds: never;
  readonly risk: Risk;
}

export type Field = table.Field<ConfigWords>;
export type MapField = table.MapField<ConfigWords>;
export type RecordField = table.RecordField<ConfigWords>;

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
