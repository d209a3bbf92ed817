/** A JSON value that is an object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A Standard Schema that also gives JSON Schema: it says what a value must be, and reads it. zod 4 makes such. */
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

/** What a caller may send. */
export type InputOf<S extends Schema> = NonNullable<S['~standard']['types']>['input'];

/** What the schema makes of it. */
export type OutputOf<S extends Schema> = NonNullable<S['~standard']['types']>['output'];
