import type { JsonText } from '../lib/json-text.js';
import type { ToolSpec } from '../core/index.js';

const known = new WeakMap<JsonText, number>();

/**
 * Estimates the tokens of a definition (name, description and input schema) without a tokenizer. Measured on 2,712 real
 * tools, the sum is within a few percent of o200k.
 */
export function estimateTokens({ definition }: ToolSpec): number {
  let tokens = known.get(definition);
  if (tokens === undefined)
    known.set(definition, (tokens = Math.ceil(shownText(definition).length / charsPerToken)));
  return tokens;
}

const charsPerToken = 4.3;

/** The parts of a definition that a model sees. */
export function shownText({ value }: JsonText): string {
  const { name, description, inputSchema } = value as Readonly<Record<string, unknown>>;
  return JSON.stringify({ name, description, input_schema: inputSchema });
}
