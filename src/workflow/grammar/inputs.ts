import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { nearest, quote } from '../../kernel/index.js';
import type { Input } from './workflow.js';

export interface ReadInputs {
  readonly values: Readonly<Record<string, string | number | boolean>>;
  /** What is wrong, all of it. */
  readonly problems: readonly string[];
  /** Needed, and not given. */
  readonly missing: readonly Input[];
}

/** Checks what was given against what the workflow declares, and adds defaults. */
export function readInputs(
  declared: readonly Input[],
  given: Readonly<Record<string, unknown>>,
  cwd: string,
): ReadInputs {
  const values: Record<string, string | number | boolean> = {};
  const problems: string[] = [];
  const missing: Input[] = [];
  const known = declared.map(({ name }) => name);
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    const all = known.length === 0 ? ' It takes none.' : ` There are ${known.join(', ')}.`;
    problems.push(
      `There is no input ${quote(name)}.${near === undefined ? all : ` Did you mean ${near}?${all}`}`,
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
    problems.push(...broken(input, value, cwd));
  }
  return { values, problems, missing };
}

function typed(
  { name, type }: Input,
  raw: unknown,
  problems: string[],
): string | number | boolean | undefined {
  const text = typeof raw === 'string' ? raw : JSON.stringify(raw);
  if (type === 'integer') {
    if (/^[+-]?\d{1,15}$/.test(text.trim())) return Number(text);
    problems.push(`The input ${quote(name)} must be a whole number, not ${quote(text)}.`);
    return undefined;
  }
  if (type === 'boolean') {
    if (/^(?:true|false)$/i.test(text.trim())) return text.trim().toLowerCase() === 'true';
    problems.push(`The input ${quote(name)} must be true or false, not ${quote(text)}.`);
    return undefined;
  }
  if (type === undefined && (typeof raw === 'number' || typeof raw === 'boolean')) return raw;
  return text;
}

/** Rules for another kind of value do not apply. */
function broken(
  { name, validation = {} }: Input,
  value: string | number | boolean,
  cwd: string,
): readonly string[] {
  const problems: string[] = [];
  const tell = (rule: string): void =>
    void problems.push(`The input ${quote(name)} ${rule}, unlike ${quote(String(value))}.`);
  const { pattern, enum: allowed, min, max, file_exists: exists, file_extension: extensions } = validation;
  if (typeof value === 'string') {
    if (pattern !== undefined && !matches(value, pattern)) tell(`must match ${pattern}`);
    if (allowed !== undefined && !allowed.includes(value)) tell(`must be one of ${allowed.join(', ')}`);
    if (exists === true && !isFile(resolve(cwd, value))) tell('must be the path of a file');
    if (extensions !== undefined && !extensions.some((extension) => hasExtension(value, extension))) {
      tell(`must end with ${extensions.join(' or ')}`);
    }
  } else if (typeof value === 'number') {
    if (min !== undefined && value < min) tell(`must be at least ${min}`);
    if (max !== undefined && value > max) tell(`must be at most ${max}`);
  }
  return problems;
}

function matches(value: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    // Reported by `tidegate validate`; a rule that nobody can read is kept by nothing.
    return false;
  }
}

function hasExtension(value: string, extension: string): boolean {
  return value.endsWith(extension.startsWith('.') ? extension : `.${extension}`);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
