// Reads the model file of a workspace within limits, and reports problems with their position.
import type { AccessErrorCode } from './engine/index.js';

export interface ModelProblem {
  readonly code:
    | AccessErrorCode
    | 'model.too_large'
    | 'model.missing_relation'
    | 'model.narrowed'
    | 'model.changed';
  readonly message: string;
  /** A type, a `type#relation` or a condition. */
  readonly at: string;
  /** Lines and columns start at 1. */
  readonly line: number;
  readonly column: number;
}

/** An invalid model, with all its problems. */
export class ModelRefused extends Error {
  override readonly name = 'ModelRefused';
  readonly problems: readonly ModelProblem[];
  constructor(problems: readonly ModelProblem[]) {
    super(
      problems.map(({ line, column, message }) => `${String(line)}:${String(column)} ${message}`).join('; '),
    );
    this.problems = problems;
  }
}

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** The parser needs seconds for a hundred nested brackets, and hours for more. */
const most = { characters: 64 * 1024, nesting: 6 };
const header = ['model', '  schema 1.1', ''];

/** Converts the text to OpenFGA's JSON form. The two header lines may be omitted. */
export async function parseModelText(text: string): Promise<Readonly<Record<string, unknown>>> {
  refuseTooLarge(text);
  const isWhole = /^(?:[^\S\n]*(?:#[^\n]*)?\n)*[^\S\n]*(?:model|module)\b/.test(text);
  const shift = isWhole ? 0 : header.length;
  const { default: openfga } = await import('@openfga/syntax-transformer');
  try {
    const whole = isWhole ? text : [...header, text].join('\n');
    return { ...openfga.transformer.transformDSLToJSONObject(ended(whole)) };
  } catch (error) {
    throw new ModelRefused(syntaxProblems(error, shift));
  }
}

/** The positions of types (`tool`), relations (`tool#see`) and conditions. */
export function definitionsIn(text: string): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  let type = '';
  text.split('\n').forEach((content, index) => {
    const [, indent = '', word, name = ''] = /^(\s*)(type|define|condition)\s+([^\s:(]+)/.exec(content) ?? [];
    if (word === undefined) return;
    if (word === 'type') type = name;
    const at = word === 'define' ? `${type}#${name}` : name;
    if (!places.has(at)) places.set(at, { line: index + 1, column: indent.length + 1 });
  });
  return places;
}

function refuseTooLarge(text: string): void {
  if (text.length > most.characters)
    throw refusal('model.too_large', `the model has more than ${String(most.characters / 1024)} KiB`, 1);
  let depth = 0;
  let isExpression = false;
  text.split('\n').forEach((content, index) => {
    const [, word] = /^\s*(type|define|condition)\b/.exec(content) ?? [];
    if (word !== undefined) [depth, isExpression] = [0, word === 'condition'];
    for (const character of isExpression ? '' : content) {
      depth += character === '(' ? 1 : character === ')' ? -1 : 0;
      if (depth > most.nesting) throw refusal('model.too_large', 'brackets are nested too deeply', index + 1);
    }
  });
}

function refusal(code: ModelProblem['code'], message: string, line: number): ModelRefused {
  return new ModelRefused([{ code, message, at: 'model', line, column: 1 }]);
}

function ended(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** The parser's lines and columns start at 0. */
function syntaxProblems(error: unknown, shift: number): readonly ModelProblem[] {
  const flaws =
    error instanceof Error && 'errors' in error && Array.isArray(error.errors) ? error.errors : [];
  const problems = flaws.slice(0, 20).map((flaw: unknown): ModelProblem => {
    const { msg, line, column } = fields(flaw);
    const message = typeof msg === 'string' ? msg : String(flaw);
    return {
      code: 'model.syntax',
      at: 'model',
      message,
      line: Math.max(1, startOf(line) + 1 - shift),
      column: startOf(column) + 1,
    };
  });
  return problems.length > 0
    ? problems
    : [{ code: 'model.syntax', at: 'model', message: String(error), line: 1, column: 1 }];
}

function startOf(span: unknown): number {
  const { start } = fields(span);
  return typeof start === 'number' ? start : 0;
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
