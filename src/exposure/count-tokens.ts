import type { ToolSpec } from '../core/index.js';
import { estimateTokens, shownText } from './index.js';

export type CountTokens = (tool: ToolSpec) => number;

/** Counting method: estimated from text length, or with a tokenizer. */
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

/** Same ratio as in `estimateTokens`. */
const charsPerToken = 4.3;

function estimateText(text: string): number {
  return Math.ceil(text.length / charsPerToken);
}

/** Longer texts are only estimated; counting them would take seconds. */
const longestText = 1024 * 1024;

/** Takes most of a second to load. Texts come from untrusted servers and must not make it fail or hang. */
async function openTokenizer(): Promise<(text: string) => number> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  // By default the tokenizer throws on `<|endoftext|>`; here it is ordinary text.
  const options = { disallowedSpecial: new Set<string>() };
  return (text) =>
    text.length > longestText
      ? estimateText(text)
      : inShortRuns(text).reduce((sum, part) => sum + countTokens(part, options), 0);
}

const longestRun = 256;
/** Unbroken runs of letters, symbols or whitespace; the tokenizer takes quadratic time on them. */
const run = new RegExp(
  [String.raw`[\p{L}\p{M}]`, String.raw`[^\s\p{L}\p{N}]`, String.raw`\s`]
    .map((kind) => `${kind}{${String(longestRun)}}`)
    .join('|'),
  'gu',
);

/** Splits the text so that no part contains a long run; usually one part. */
function inShortRuns(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { index, 0: found } of text.matchAll(run)) {
    parts.push(text.slice(from, index), found);
    from = index + found.length;
  }
  return [...parts, text.slice(from)];
}
