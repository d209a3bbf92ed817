import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createStepBudget, matchWithin, type StepBudget } from '../../lib/pattern/match-within.js';
import { nearest } from '../../lib/nearest.js';
import { quote } from '../../lib/source-place.js';
import { listFromText } from './list-text.js';
import type { Input } from './workflow.js';

export type InputValue = string | number | boolean | readonly unknown[];

export interface ReadInputs {
  readonly values: Readonly<Record<string, InputValue>>;
  /** All problems found. */
  readonly problems: readonly string[];
  /** Required inputs that were not given. */
  readonly missing: readonly Input[];
}

/** Checks the given inputs against the declarations and adds defaults. */
export function readInputs(
  declared: readonly Input[],
  given: Readonly<Record<string, unknown>>,
  cwd: string,
): ReadInputs {
  const values: Record<string, InputValue> = {};
  const problems: string[] = [];
  const missing: Input[] = [];
  const known = declared.map(({ name }) => name);
  // One shared budget: many slow patterns are as bad as one.
  const budget = createStepBudget();
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    const all = known.length === 0 ? ' The workflow takes no inputs.' : ` Available: ${known.join(', ')}.`;
    problems.push(
      `Unknown input ${quote(name)}.${near === undefined ? all : ` Did you mean ${near}?${all}`}`,
    );
  }
  for (const input of declared) {
    const raw = Object.hasOwn(given, input.name) ? given[input.name] : input.default;
    if (raw === undefined || raw === null) {
      if (input.required === true) missing.push(input);
      continue;
    }
    const value = typed(input, raw, problems);
    if (value === undefined) continue;
    values[input.name] = value;
    problems.push(...broken(input, value, cwd, budget));
  }
  return { values, problems, missing };
}

function typed({ name, type }: Input, raw: unknown, problems: string[]): InputValue | undefined {
  const text = typeof raw === 'string' ? raw : JSON.stringify(raw);
  if (type === 'integer') {
    if (/^[+-]?\d{1,15}$/.test(text.trim())) return Number(text);
    problems.push(`Input ${quote(name)} must be a whole number, not ${quote(text)}.`);
    return undefined;
  }
  if (type === 'number') {
    const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : Number.NaN;
    if (Number.isFinite(number)) return number;
    problems.push(`Input ${quote(name)} must be a number, not ${quote(text)}.`);
    return undefined;
  }
  if (type === 'array') {
    if (Array.isArray(raw)) return raw as readonly unknown[];
    if (typeof raw === 'string') return listFromText(raw);
    problems.push(`Input ${quote(name)} must be a list, not ${quote(text)}.`);
    return undefined;
  }
  if (type === 'boolean') {
    if (/^(?:true|false)$/i.test(text.trim())) return text.trim().toLowerCase() === 'true';
    problems.push(`Input ${quote(name)} must be true or false, not ${quote(text)}.`);
    return undefined;
  }
  if (type === undefined && (typeof raw === 'number' || typeof raw === 'boolean')) return raw;
  return text;
}

/** Rules for other types are ignored. */
function broken(
  { name, validation = {} }: Input,
  value: InputValue,
  cwd: string,
  budget: StepBudget,
): readonly string[] {
  const problems: string[] = [];
  const addFlaw = (rule: string): void =>
    void problems.push(`Input ${quote(name)} ${rule}, but is ${quote(String(value))}.`);
  const { pattern, enum: allowed, min, max, file_exists: exists, file_extension: extensions } = validation;
  if (typeof value === 'string') {
    const problem = pattern === undefined ? undefined : patternProblem(name, value, pattern, budget);
    if (problem !== undefined) problems.push(problem);
    if (allowed !== undefined && !allowed.includes(value)) addFlaw(`must be one of ${allowed.join(', ')}`);
    if (exists === true && !isFile(resolve(cwd, value))) addFlaw('must be the path of an existing file');
    if (extensions !== undefined && !extensions.some((extension) => hasExtension(value, extension))) {
      addFlaw(`must end with ${extensions.join(' or ')}`);
    }
  } else if (typeof value === 'number') {
    if (min !== undefined && value < min) addFlaw(`must be at least ${min}`);
    if (max !== undefined && value > max) addFlaw(`must be at most ${max}`);
  }
  return problems;
}

/** A rule that cannot be checked counts as violated. */
function patternProblem(
  name: string,
  value: string,
  pattern: string,
  budget: StepBudget,
): string | undefined {
  switch (matchWithin(pattern, value, budget)) {
    case 'match':
      return undefined;
    case 'too_costly':
      return `Input ${quote(name)} cannot be checked: matching it against ${pattern} takes too long. Use a shorter value or a simpler pattern.`;
    case 'invalid':
      return `Input ${quote(name)} cannot be checked: ${pattern} is not a valid regular expression.`;
    case 'no_match':
      return `Input ${quote(name)} must match ${pattern}, but is ${quote(value)}.`;
  }
}

function hasExtension(value: string, extension: string): boolean {
  return value.endsWith(extension.startsWith('.') ? extension : `.${extension}`);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
