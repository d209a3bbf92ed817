import { quote } from '../source-place.js';
import { type Codes, type Language, type Scalar, suggestion } from './context.js';
import { durationNotations } from './duration.js';
import type {
  BooleanField,
  ChoiceField,
  DurationField,
  NumberField,
  ScalarField,
  TextField,
} from './field.js';
import { parseSize } from './size.js';

/** `wrong`: the value has the wrong type. A flaw: the type is right, but the value is invalid. */
export type Verdict =
  | { readonly value: string | number | boolean }
  | {
      readonly flaw: keyof Pick<Codes<string>, 'badValue' | 'unsupported'>;
      readonly message: string;
      readonly remedy?: string;
    }
  | 'wrong';

export function checkScalar(
  field: ScalarField,
  scalar: Scalar,
  formats: Language<string>['formats'],
): Verdict {
  switch (field.kind) {
    case 'text':
      return checkText(field, scalar, formats);
    case 'integer':
    case 'number':
      return checkNumber(field, scalar);
    case 'boolean':
      return checkBoolean(field, scalar);
    case 'choice':
      return checkChoice(field, scalar);
    case 'duration':
      return checkDuration(field, scalar);
    case 'size':
      return checkSize(scalar);
  }
}

/** What the field accepts, as the end of the sentence "The value must be …". */
export function wantedBy(field: ScalarField): string {
  switch (field.kind) {
    case 'text':
      return 'a string';
    case 'integer':
    case 'number':
      return 'a number';
    case 'boolean':
      return 'true or false';
    case 'choice':
      return `one of ${field.choices.filter((choice) => choice !== '').join(', ')}`;
    case 'duration':
      return 'a duration';
    case 'size':
      return 'a size such as 10MB';
  }
}

function checkText(
  { format = 'any', takesScalars }: TextField,
  { value, source }: Scalar,
  formats: Language<string>['formats'],
): Verdict {
  if (typeof value !== 'string' && takesScalars !== true) return 'wrong';
  const text = typeof value === 'string' ? value : source;
  const flaw = formats[format]?.(text);
  if (flaw === undefined) return { value: text };
  return bad(`The value ${flaw.says}.`, flaw.remedy === undefined ? {} : { remedy: flaw.remedy });
}

function checkNumber(field: NumberField, scalar: Scalar): Verdict {
  const { kind, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = field;
  const value = asNumber(scalar);
  if (value === undefined) return 'wrong';
  const isRight = kind === 'number' || Number.isSafeInteger(value);
  if (isRight && value >= minimum && value <= maximum) return { value };
  const wanted = kind === 'integer' ? 'a whole number' : 'a number';
  return bad(`${quote(scalar.source)} is not ${wanted}${rangeOf(minimum, maximum)}.`);
}

function rangeOf(minimum: number, maximum: number): string {
  if (Number.isFinite(minimum) && Number.isFinite(maximum)) return ` from ${minimum} to ${maximum}`;
  if (Number.isFinite(minimum)) return ` of at least ${minimum}`;
  return Number.isFinite(maximum) ? ` of at most ${maximum}` : '';
}

const words: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', 'no', 'off'].map((word) => [word, false] as const),
]);

function checkBoolean({ takesWords }: BooleanField, { value, source, isReference }: Scalar): Verdict {
  if (typeof value === 'boolean') return { value };
  if (isReference && (value === 'true' || value === 'false')) return { value: value === 'true' };
  const meant = takesWords === true ? words.get(source.toLowerCase()) : undefined;
  return meant === undefined ? 'wrong' : { value: meant };
}

function checkChoice(field: ChoiceField, { value: given, source }: Scalar): Verdict {
  const value = field.takesScalars === true && typeof given !== 'string' ? source : given;
  if (typeof value !== 'string') return 'wrong';
  if (field.choices.includes(value)) return { value };
  const { unsupported = {}, choices } = field;
  const known = Object.hasOwn(unsupported, value) ? unsupported[value] : undefined;
  if (known !== undefined) return { flaw: 'unsupported', ...known };
  return bad(`${quote(source)} is not ${wantedBy(field)}.`, suggestion(value, choices));
}

function checkDuration({ minimum = 0, notation = 'simple' }: DurationField, scalar: Scalar): Verdict {
  const { parse, remedy } = durationNotations[notation];
  const written = asNumber(scalar) ?? scalar.value;
  if (typeof written === 'boolean' || written === null) return 'wrong';
  const value = parse(written);
  if (value !== undefined && value >= minimum) return { value };
  return bad(`${quote(scalar.source)} is not a duration from ${minimum} ms to 24 days.`, { remedy });
}

function checkSize(scalar: Scalar): Verdict {
  const written = asNumber(scalar) ?? scalar.value;
  if (typeof written === 'boolean' || written === null) return 'wrong';
  const value = parseSize(written);
  return value === undefined ? bad(`${quote(scalar.source)} is not a size such as 10MB.`) : { value };
}

function asNumber({ value, isReference }: Scalar): number | undefined {
  if (typeof value === 'number') return value;
  return isReference && typeof value === 'string' && /^-?\d{1,15}(\.\d+)?$/.test(value)
    ? Number(value)
    : undefined;
}

function bad(message: string, remedy: { readonly remedy?: string } = {}): Verdict {
  return { flaw: 'badValue', message, ...remedy };
}
