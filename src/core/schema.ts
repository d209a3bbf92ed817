/** A JSON value that is an object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A Standard Schema that also provides JSON Schema, such as a zod 4 schema. */
export interface Schema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validation<Output> | Promise<Validation<Output>>;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => JsonObject;
      readonly output: (options: { readonly target: 'draft-2020-12' }) => JsonObject;
    };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type Validation<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type before parsing. */
export type InputOf<S extends Schema> = NonNullable<S['~standard']['types']>['input'];

/** The type after parsing. */
export type OutputOf<S extends Schema> = NonNullable<S['~standard']['types']>['output'];
