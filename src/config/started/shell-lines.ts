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
/** Options and subcommands by which harmless programs run others, or do what a file says. */
const running: readonly (readonly [program: RegExp, words: RegExp])[] = [
  [
    /^git$/,
    /^(?:-c|--config-env|--exec-path|--exec|--upload-pack|--receive-pack|--ext-diff|--textconv|bisect|submodule|difftool|mergetool|filter-branch|rebase|hook|for-each-repo|maintenance)(?:=|$)/,
  ],
  [/^(?:ssh|scp)$/, /^-[oFS]/],
  [/^curl$/, /^(?:-K|--config)/],
  [/^wget$/, /^(?:-e|--execute|--config|--use-askpass)/],
  [/^sort$/, /^--comp/],
  [/^gh$/, /^(?:extensions?|ext|alias)$/],
];

/** A simple command without keywords and assignments of constants. */
export function withoutKeywords(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !keyword.test(word) && !/^\w+=[^$]*$/.test(word));
  return start < 0 ? [] : words.slice(start);
}

/** Whether a command runs no file of its working directory, whatever its arguments say. */
export function isHarmless([program = '', ...args]: readonly string[]): boolean {
  return (
    harmless.has(program) &&
    !running.some(([name, word]) => name.test(program) && args.some((arg) => word.test(arg)))
  );
}

/** Splits a line into simple commands at shell operators. */
export function linesOf(text: string): readonly string[] {
  // `2>&1` and `&>log` are no operators between commands.
  return text.split(/\n|;|&&|(?<![<>&])&(?![>&])|\|\|?|\$?\(|`/).filter((line) => line.trim() !== '');
}

export function splitWords(line: string): readonly string[] {
  return line.split(/[\s"']+/).filter((word) => word !== '');
}
