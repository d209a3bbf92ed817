import { parseDuration } from './duration.js';
import type { ChoiceField, DurationField, IntegerField, ScalarField, TextField } from './field.js';
import { flawOf } from './formats.js';
import { quote } from '../lib/source-place.js';
import type { Finding } from './problem.js';
import { suggestion } from './read-context.js';

/** A scalar from the file with its references replaced. */
export interface Scalar {
  readonly value: string | number | boolean;
  /** The text in the file, with references unresolved, so it is safe to repeat in a message. */
  readonly source: string;
  /** A text that came from a reference may represent a number or boolean. */
  readonly isReference: boolean;
}

/** `wrong`: the value has the wrong type. A flaw: the type is right, but the value is invalid. */
export type Verdict = { readonly value: string | number | boolean } | { readonly flaw: Finding } | 'wrong';

export function checkScalar(field: ScalarField, scalar: Scalar): Verdict {
  switch (field.kind) {
    case 'text':
      return checkText(field, scalar);
    case 'integer':
      return checkInteger(field, scalar);
    case 'boolean':
      return checkBoolean(scalar);
    case 'choice':
      return checkChoice(field, scalar);
    case 'duration':
      return checkDuration(field, scalar);
  }
}

/** What the field accepts, as the end of the sentence "The value must be …". */
export function wantedBy(field: ScalarField): string {
  if (field.kind === 'choice') return `one of ${field.choices.join(', ')}`;
  return { text: 'a string', integer: 'a number', boolean: 'true or false', duration: 'a duration' }[
    field.kind
  ];
}

function checkText({ format, takesScalars }: TextField, { value, source }: Scalar): Verdict {
  if (typeof value !== 'string' && takesScalars !== true) return 'wrong';
  const text = typeof value === 'string' ? value : source;
  const flaw = flawOf(format, text);
  if (flaw === undefined) return { value: text };
  return bad(`The value ${flaw.says}.`, flaw.remedy === undefined ? {} : { remedy: flaw.remedy });
}

function checkInteger({ minimum, maximum }: IntegerField, scalar: Scalar): Verdict {
  const value = asNumber(scalar);
  if (value === undefined) return 'wrong';
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return { value };
  return bad(`${quote(scalar.source)} is not a whole number from ${minimum} to ${maximum}.`);
}

function checkBoolean({ value, isReference }: Scalar): Verdict {
  if (typeof value === 'boolean') return { value };
  return isReference && (value === 'true' || value === 'false') ? { value: value === 'true' } : 'wrong';
}

function checkChoice(field: ChoiceField, { value, source }: Scalar): Verdict {
  if (typeof value !== 'string') return 'wrong';
  if (field.choices.includes(value)) return { value };
  const { unsupported = {}, choices } = field;
  const known = Object.hasOwn(unsupported, value) ? unsupported[value] : undefined;
  if (known !== undefined) return { flaw: { code: 'config.unsupported', ...known } };
  return bad(`${quote(source)} is not ${wantedBy(field)}.`, suggestion(value, choices));
}

function checkDuration({ minimum }: DurationField, scalar: Scalar): Verdict {
  if (typeof scalar.value === 'boolean') return 'wrong';
  const value = parseDuration(asNumber(scalar) ?? scalar.value);
  if (value !== undefined && value >= minimum) return { value };
  return bad(`${quote(scalar.source)} is not a duration from ${minimum} ms to 24 days.`, {
    remedy: 'Use a number of milliseconds, or a string such as 500ms, 60s, 2m or 1h.',
  });
}

function asNumber({ value, isReference }: Scalar): number | undefined {
  if (typeof value === 'number') return value;
  return isReference && typeof value === 'string' && /^-?\d{1,15}(\.\d+)?$/.test(value)
    ? Number(value)
    : undefined;
}

function bad(message: string, remedy: { readonly remedy?: string } = {}): Verdict {
  return { flaw: { code: 'config.bad_value', message, ...remedy } };
}
