/** A condition or a number: the subset of expr-lang that workflows use. */
export type Expression =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'name'; readonly path: readonly string[]; readonly offset: number }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'member'; readonly of: Expression; readonly key: Expression }
  | { readonly kind: 'unary'; readonly sign: 'not' | '-'; readonly of: Expression }
  | { readonly kind: 'binary'; readonly sign: string; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: 'choice';
      readonly when: Expression;
      readonly then: Expression;
      readonly otherwise: Expression;
    }
  | { readonly kind: 'call'; readonly name: string; readonly of: readonly Expression[] };

export type Value = string | number | boolean | null | undefined | readonly unknown[] | object;

export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  readonly offset: number;

  constructor(message: string, offset = 0) {
    super(message);
    this.offset = offset;
  }
}
