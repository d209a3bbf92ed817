import type { JsonText, ToolSpec } from '../kernel/index.js';

const known = new WeakMap<JsonText, number>();

/**
 * About how many tokens a definition costs in a prompt, without a tokenizer: models are shown the name, the description
 * and the schema of the arguments. Measured on 2,712 real tools, the sum is within a few per cent of o200k.
 */
export function estimateTokens({ definition }: ToolSpec): number {
  let tokens = known.get(definition);
  if (tokens === undefined)
    known.set(definition, (tokens = Math.ceil(shownText(definition).length / charsPerToken)));
  return tokens;
}

const charsPerToken = 4.3;

/** What a model is shown of a definition. */
export function shownText({ value }: JsonText): string {
  const { name, description, inputSchema } = value as Readonly<Record<string, unknown>>;
  return JSON.stringify({ name, description, input_schema: inputSchema });
}
