/** Errors in a model, a tuple or a request, with the error code of OpenFGA's API. */
const openfgaNumbers = {
  'model.syntax': 2056,
  'model.shape': 2056,
  'model.schema_version': 2056,
  'model.name': 2056,
  'model.duplicate_type': 2056,
  'model.undefined_type': 2056,
  'model.undefined_relation': 2056,
  'model.undefined_condition': 2056,
  'model.invalid_rewrite': 2056,
  'model.not_assignable': 2056,
  'model.no_type_restriction': 2056,
  'model.tupleset_not_direct': 2056,
  'model.no_entrypoint': 2056,
  'model.cycle': 2056,
  'model.condition': 2056,
  'tuple.user': 2027,
  'tuple.object': 2027,
  'tuple.relation': 2027,
  'tuple.type_not_allowed': 2027,
  'tuple.condition_missing': 2027,
  'tuple.condition_unknown': 2027,
  'tuple.condition_not_allowed': 2027,
  'tuple.condition_context': 2027,
  'tuple.not_found': 2017,
  'request.user': 2000,
  'request.object': 2000,
  'request.relation': 2000,
  'request.context': 2000,
  'request.filter': 2000,
  'request.unknown_type': 2021,
  'request.unknown_relation': 2022,
  'condition.missing_parameter': 2000,
  'condition.parameter_type': 2000,
  'condition.failed': 2000,
  'condition.not_loaded': 2000,
  'check.too_deep': 2002,
  'check.too_complex': 2002,
} as const;

export type AccessErrorCode = keyof typeof openfgaNumbers;

/** One problem of a model. */
export interface Problem {
  readonly code: AccessErrorCode;
  readonly message: string;
  /** The type, `type#relation` or condition. */
  readonly at: string;
}

/** The engine has no answer. Callers must treat it as a denial. */
export class AccessError extends Error {
  override readonly name = 'AccessError';
  readonly code: AccessErrorCode;
  /** OpenFGA's error code for the same case. */
  readonly openfgaCode: number;
  /** All problems, if there can be several. */
  readonly problems: readonly Problem[];

  constructor(code: AccessErrorCode, message: string, problems: readonly Problem[] = []) {
    super(message);
    this.code = code;
    this.openfgaCode = openfgaNumbers[code];
    this.problems = problems;
  }
}
