import type { ToolSpec } from '../../kernel/index.js';
import { estimateTokens, shownText } from '../../surface/index.js';

export type CountTokens = (tool: ToolSpec) => number;

/** How tokens were counted: by the length of the text, or with the tokenizer of current models. */
export type Counted = 'estimate' | 'o200k_base';

export interface Counter {
  readonly counted: Counted;
  readonly tool: CountTokens;
  readonly text: (text: string) => number;
}

export async function openCounter(isExact: boolean): Promise<Counter> {
  if (!isExact) return { counted: 'estimate', tool: estimateTokens, text: estimateText };
  const text = await openTokenizer();
  return { counted: 'o200k_base', text, tool: ({ definition }) => text(shownText(definition)) };
}

/** As the estimate of a definition does it. */
const charsPerToken = 4.3;

function estimateText(text: string): number {
  return Math.ceil(text.length / charsPerToken);
}

/** What is longer is nothing that a model is shown; to count it would take seconds. */
const longestText = 1024 * 1024;

/** The tokenizer takes most of a second to load. Texts come from servers: none may make it fail or take for ever. */
async function openTokenizer(): Promise<(text: string) => number> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  // Left to itself it throws at `<|endoftext|>`, which to us is a text like any other.
  const options = { disallowedSpecial: new Set<string>() };
  return (text) =>
    text.length > longestText
      ? estimateText(text)
      : inShortRuns(text).reduce((sum, part) => sum + countTokens(part, options), 0);
}

const longestRun = 256;
/** Letters, signs or blanks without a break. The time for one of them grows with the square of its length. */
const run = new RegExp(
  [String.raw`[\p{L}\p{M}]`, String.raw`[^\s\p{L}\p{N}]`, String.raw`\s`]
    .map((kind) => `${kind}{${String(longestRun)}}`)
    .join('|'),
  'gu',
);

/** The text in parts that hold no long run; nearly always one. */
function inShortRuns(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { index, 0: found } of text.matchAll(run)) {
    parts.push(text.slice(from, index), found);
    from = index + found.length;
  }
  return [...parts, text.slice(from)];
}
