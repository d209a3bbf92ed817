// Shows what a built-in operation sends and where, so that a person can decide whether to trust it.
import { isRecord } from '../lib/is-record.js';
import { choosersIn } from './endpoint.js';
import { ExpressionError } from './expression/expression.js';
import { namesIn, parseExpression } from './expression/parse.js';
import { builtinOf, operationInputs } from './grammar/builtin-operations.js';
import type { StepOf } from './grammar/workflow.js';
import { parseTemplate } from './template/parse.js';
import { TemplateError } from './template/template.js';

type Values = Readonly<Record<string, unknown>>;
/** Shows all lines of a text. */
type Show = (label: string, text: string) => readonly string[];

/** Undefined if the step is no built-in operation or its inputs cannot be read. */
export function builtinFacts(step: StepOf<'operation'>, show: Show): readonly string[] | undefined {
  const builtin = builtinOf(step);
  const inputs = operationInputs(step);
  if (builtin === undefined || inputs === undefined) return undefined;
  const { [builtin.endpoint]: url, ...others } = inputs;
  const sent = builtin.endpoint === 'url' ? requestFacts(others, url, show) : noteFacts(others, url, show);
  const by = typeof url === 'string' ? choosersIn(url) : [];
  const variables = [...new Set(variablesIn(inputs))].sort();
  return [
    ...sent,
    ...(by.length === 0
      ? []
      : [`the host is not constant: ${by.join(', ')} determines it. Only you can run this step.`]),
    ...(variables.length === 0 ? [] : [`sends environment variables: ${variables.join(', ')}`]),
  ];
}

function requestFacts({ method, headers, ...others }: Values, url: unknown, show: Show): readonly string[] {
  return [
    `endpoint: ${textOf(method)} ${textOf(url)}`,
    ...(isRecord(headers) ? Object.entries(headers).map(headerFact) : given('headers', headers, show)),
    ...rest(others, show),
  ];
}

function noteFacts({ backend, ...others }: Values, url: unknown, show: Show): readonly string[] {
  return [
    ...given('backend', backend, show),
    ...(backend === 'webhook'
      ? []
      : ['starts: the notification program of the system (notify-send, osascript)']),
    ...(url === undefined ? [] : [`endpoint: POST ${textOf(url)}`]),
    ...rest(others, show),
  ];
}

const secretName = /auth|cookie|token|key|secret|password|signature/i;

/** Hides secrets written in the file, but shows how a value is filled in. */
function headerFact([name, value]: readonly [string, unknown]): string {
  const text = textOf(value);
  return secretName.test(name) && !text.includes('{{')
    ? `header: ${name} (value in the file)`
    : `header: ${name} = ${text}`;
}

function rest(values: Values, show: Show): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => given(key, value, show));
}

function given(key: string, value: unknown, show: Show): readonly string[] {
  return value === undefined ? [] : show(key, textOf(value));
}

/** Names of the environment variables used in any string of the data. */
function variablesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return variablesOf(value);
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(variablesIn);
}

/** Names of the environment variables that a template inserts. */
export function variablesOf(text: string): readonly string[] {
  try {
    return parseTemplate(text).references.flatMap(({ path: [head, name = '(all)'] }) =>
      head === 'env' || head === undefined ? [name] : [],
    );
  } catch (error) {
    // An invalid template also fails its step.
    if (error instanceof TemplateError) return [];
    throw error;
  }
}

/** The same for an expression, such as an output. */
export function variablesOfExpression(text: string): readonly string[] {
  try {
    return namesIn(parseExpression(text)).flatMap(({ path: [head, name = '(all)'] }) =>
      head === 'env' ? [name] : [],
    );
  } catch (error) {
    // An invalid expression has no value.
    if (error instanceof ExpressionError) return [];
    throw error;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
