import { isHarmlessAssignment } from './harmless-commands.js';

/** Programs that run what their arguments name. */
export const runner =
  /^(?:node|nodejs|bun|bunx|deno|tsx|ts-node|npx|npm|pnpm|pnpx|yarn|python[\d.]*|pypy[\d.]*|uv|uvx|pipx|poetry|ruby|perl|php|lua|(?:ba|z|da|k)?sh|fish|pwsh|java|dotnet|go|cargo|env|Rscript|electron|make|just|rake)(?:\.exe|\.cmd)?$/;

/** Programs and shell keywords that run no file of their working directory. */
export const harmless = new Set(
  (
    'echo printf true false : test [ [[ exit return set unset shift sleep date pwd cat head tail wc sort uniq cut tr grep ' +
    'ls mkdir touch rm cp mv basename dirname sha256sum jq curl wget git gh ssh scp if then else elif fi for while do done { } ! in'
  ).split(' '),
);

/** Words in front of a command. */
const keyword = /^(?:if|then|elif|else|while|until|do|!|\{)$/;

/** A simple command without keywords and harmless assignments. */
export function withoutKeywords(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !keyword.test(word) && !isHarmlessAssignment(word));
  return start < 0 ? [] : words.slice(start);
}

/** Splits a line into simple commands at shell operators. */
export function linesOf(text: string): readonly string[] {
  // `2>&1` and `&>log` are not operators between commands.
  return text.split(/\n|;|&&|(?<![<>&])&(?![>&])|\|\|?|\$?\(|`/).filter((line) => line.trim() !== '');
}

export function splitWords(line: string): readonly string[] {
  return line.split(/[\s"']+/).filter((word) => word !== '');
}
